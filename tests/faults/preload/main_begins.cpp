#include "main_begins.hpp"

#include <dlfcn.h>

#include <atomic>

namespace octavo::faults {
namespace {

using Main = int(int, char**, char**);

std::atomic<bool> main_has_begun = false;
Main* main_of_program = nullptr;

int begin_main(int argument_count, char** arguments, char** environment) {
  main_has_begun = true;
  return main_of_program(argument_count, arguments, environment);
}

}  // namespace

bool has_main_begun() { return main_has_begun; }

}  // namespace octavo::faults

/// Replaces the C library's function that runs main().
extern "C" int __libc_start_main(octavo::faults::Main* main, int argument_count, char** arguments,
                                 octavo::faults::Main* init, void (*fini)(), void (*loader_fini)(), void* stack_end) {
  using Start = int(octavo::faults::Main*, int, char**, octavo::faults::Main*, void (*)(), void (*)(), void*);
  octavo::faults::main_of_program = main;
  auto* const start = reinterpret_cast<Start*>(::dlsym(RTLD_NEXT, "__libc_start_main"));
  return start(&octavo::faults::begin_main, argument_count, arguments, init, fini, loader_fini, stack_end);
}
