#include "support/gil.hpp"

#include <unistd.h>

#include <atomic>
#include <thread>
#include <utility>

#include <octavo/errors.hpp>

namespace octavo::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

std::thread::id ending_thread;  ///< the thread that finalizes the interpreter; written before is_ending
std::atomic<bool> is_ending = false;
std::atomic<int> returning_count = 0;  ///< threads that are reacquiring the GIL

[[noreturn]] void wait_for_the_end() {
  while (true) ::pause();
}

/// Runs before the interpreter finalizes. From now on no other thread reacquires the GIL; those that are in the middle
/// of it finish before this returns.
void prepare_for_the_end() {
  ending_thread = std::this_thread::get_id();
  is_ending = true;
  PyThreadState* state = PyEval_SaveThread();
  while (returning_count != 0) std::this_thread::yield();
  PyEval_RestoreThread(state);
}

}  // namespace

GilRelease::GilRelease() : state_(PyEval_SaveThread()) {}

GilRelease::~GilRelease() {
  ++returning_count;
  if (is_ending && std::this_thread::get_id() != ending_thread) {
    --returning_count;
    wait_for_the_end();
  }
  PyEval_RestoreThread(state_);
  --returning_count;
}

GilHold::GilHold() {
  ++returning_count;
  if (is_ending && std::this_thread::get_id() != ending_thread) {
    --returning_count;
    throw IoError("call Python: the interpreter is shutting down");
  }
  state_ = PyGILState_Ensure();
}

GilHold::~GilHold() {
  PyGILState_Release(state_);
  --returning_count;
}

std::shared_ptr<nb::object> shared(nb::object object) {
  return {new nb::object(std::move(object)), [](const nb::object* owned) {
            if (!Py_IsInitialized() || is_ending) return;  // at process exit everything is freed anyway
            const GilHold held;
            delete owned;
          }};
}

bool interpreter_is_ending() { return is_ending; }

void add_gil(nb::module_& module) {
  module.def("_prepare_for_the_end", &prepare_for_the_end);
  nb::module_::import_("atexit").attr("register")(module.attr("_prepare_for_the_end"));
  // A child has none of the other threads of its parent.
  module.def("_forget_other_threads", [] { returning_count = 0; });
  nb::module_::import_("os").attr("register_at_fork")("after_in_child"_a = module.attr("_forget_other_threads"));
}

}  // namespace octavo::python
