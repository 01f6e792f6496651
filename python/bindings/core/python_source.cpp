#include "core/python_source.hpp"

#include <nanobind/stl/filesystem.h>
#include <nanobind/stl/pair.h>
#include <nanobind/stl/shared_ptr.h>
#include <nanobind/stl/string.h>
#include <nanobind/stl/tuple.h>

#include <unistd.h>

#include <cstring>
#include <filesystem>
#include <optional>
#include <thread>
#include <tuple>
#include <utility>
#include <vector>

#include <octavo/cached_source.hpp>
#include <octavo/dataset.hpp>
#include <octavo/errors.hpp>
#include <octavo/text.hpp>

#include "core/module.hpp"
#include "support/gil.hpp"

namespace octavo::python {
namespace {

namespace nb = nanobind;
using namespace nb::literals;

/// Whether Python knows this thread, which may then have signals to handle.
bool is_python_thread() { return PyGILState_GetThisThreadState() != nullptr; }

/// Called while a thread waits, without the GIL.
void check_while_waiting() {
  if (interpreter_is_ending()) throw IoError("read remotely: the interpreter is shutting down");
  if (!is_python_thread()) return;
  const GilHold gil;
  if (PyErr_CheckSignals() != 0) throw nb::python_error();  // such as KeyboardInterrupt
}

/// Releases the GIL if this thread holds it: the threads that fetch need it.
class OtherThreadsRun {
 public:
  OtherThreadsRun() {
    if (!is_python_thread()) return;
    const bool held = GilHold().was_held();
    if (held) released_.emplace();
  }

 private:
  std::optional<GilRelease> released_;
};

[[noreturn]] void throw_cut_short(const std::string& name, std::int64_t end, std::int64_t length) {
  throw IoError("read \"" + name + "\": the file has " + std::to_string(length) + " bytes, but byte " +
                std::to_string(end) + " is needed; it was truncated");
}

// ---- What the threads of Python call ----------------------------------------

/// [(number, begin, end)], where a request without a range describes the file; empty once the source is gone.
nb::list next_requests(RangeQueue& queue, std::size_t most) {
  std::vector<RangeQueue::Request> requests;
  {
    const GilRelease released;
    requests = queue.next(most);
  }
  nb::list list;
  for (const RangeQueue::Request& request : requests) {
    if (request.range) {
      list.append(nb::make_tuple(request.number, request.range->begin, request.range->end));
    } else {
      list.append(nb::make_tuple(request.number, nb::none(), nb::none()));
    }
  }
  return list;
}

/// A view of an object with the buffer protocol.
class BufferView {
 public:
  explicit BufferView(nb::handle object) {
    if (PyObject_GetBuffer(object.ptr(), &view_, PyBUF_SIMPLE) != 0) throw nb::python_error();
  }
  ~BufferView() { PyBuffer_Release(&view_); }
  BufferView(const BufferView&) = delete;
  BufferView& operator=(const BufferView&) = delete;

  const void* data() const { return view_.buf; }
  std::int64_t bytes() const { return view_.len; }

 private:
  Py_buffer view_;
};

void deliver_bytes(RangeQueue& queue, std::int64_t number, nb::handle object) {
  // Reacquiring the GIL takes longer than copying a few bytes.
  constexpr std::int64_t kManyBytes = std::int64_t{256} << 10;
  const BufferView buffer(object);
  std::optional<GilRelease> released;
  if (buffer.bytes() >= kManyBytes) released.emplace();
  const std::optional<std::int64_t> expected = queue.bytes_of(number);
  if (!expected) return;
  if (buffer.bytes() != *expected) throw InvalidArgument("deliver bytes: their number is another one");
  auto bytes = std::make_unique_for_overwrite<std::byte[]>(static_cast<std::size_t>(*expected));
  std::memcpy(bytes.get(), buffer.data(), static_cast<std::size_t>(*expected));
  queue.deliver(number, std::move(bytes));
}

void deliver_description(RangeQueue& queue, std::int64_t number, std::int64_t length_bytes,
                         const std::string& identity) {
  queue.deliver(number, FileDescription{length_bytes, identity});
}

void deliver_problem(RangeQueue& queue, std::int64_t number, const std::string& message, int error_number) {
  queue.fail(number, printable(message), error_number);
}

}  // namespace

// ---- The source -------------------------------------------------------------

PythonSource::PythonSource(std::string name, nb::object start, double check_seconds)
    : name_(std::move(name)), start_(std::move(start)), check_seconds_(check_seconds) {}

PythonSource::~PythonSource() {
  if (queue_ && process_ == ::getpid()) {
    queue_->close();
  } else {
    static_cast<void>(new std::shared_ptr<RangeQueue>(std::move(queue_)));  // its locks belong to the parent
  }
  try {
    const GilHold gil;
    start_.reset();
  } catch (const IoError&) {
    static_cast<void>(start_.release());  // the interpreter is shutting down
  }
}

std::shared_ptr<RangeQueue> PythonSource::queue() const {
  if (process_.load(std::memory_order_acquire) != ::getpid()) begin_process();
  return queue_;
}

void PythonSource::begin_process() const {
  while (beginning_.test_and_set(std::memory_order_acquire)) std::this_thread::yield();
  try {
    if (process_ != ::getpid()) {
      // The parent may have held a lock during fork(). Leak it, like the parent's threads.
      static_cast<void>(new std::shared_ptr<RangeQueue>(std::move(queue_)));
      static_cast<void>(mutex_.release());
      mutex_ = std::make_unique<std::mutex>();
      queue_ = std::make_shared<RangeQueue>();
      const GilHold gil;
      start_(nb::cast(queue_));
      process_.store(::getpid(), std::memory_order_release);
    }
  } catch (...) {
    beginning_.clear(std::memory_order_release);
    throw;
  }
  beginning_.clear(std::memory_order_release);
}

FileDescription PythonSource::describe() const {
  const OtherThreadsRun released;
  const std::shared_ptr<RangeQueue> asked = queue();
  const Clock::time_point now = Clock::now();
  {
    const std::lock_guard lock(*mutex_);
    const bool is_fresh = check_seconds_ < 0 || now - described_ < std::chrono::duration<double>(check_seconds_);
    if (description_.length_bytes >= 0 && is_fresh) return description_;
  }
  const FileDescription description = asked->describe(&check_while_waiting);
  const std::lock_guard lock(*mutex_);
  description_ = description;
  described_ = now;
  return description;
}

std::int64_t PythonSource::length() const {
  if (process_ == ::getpid()) {
    const std::lock_guard lock(*mutex_);
    if (description_.length_bytes >= 0) return description_.length_bytes;
  }
  return describe().length_bytes;
}

std::string PythonSource::identity() const { return describe().identity; }

ReadCost PythonSource::read_cost() const noexcept {
  return {.most_gap_bytes = RangeQueue::kMostGapBytes, .waits_for_network = true};
}

void PythonSource::read_at(std::int64_t offset, std::span<std::byte> out) const {
  read_parts_at(offset, std::span(&out, 1));
}

void PythonSource::read_parts_at(std::int64_t offset, std::span<const std::span<std::byte>> parts) const {
  const std::int64_t length_bytes = length();
  std::int64_t end = offset;
  for (const std::span<std::byte> part : parts) end += std::ssize(part);
  if (end > length_bytes) throw_cut_short(name_, end, length_bytes);

  const OtherThreadsRun released;
  const std::shared_ptr<RangeQueue> asked = queue();
  const bool is_header = offset == 0 && parts.size() == 1 && parts.front().size() == kHeaderBytes;
  if (is_header) {
    const std::lock_guard lock(*mutex_);
    if (has_header_) {
      std::memcpy(parts.front().data(), header_.data(), kHeaderBytes);
      return;
    }
  }
  asked->read(offset, parts, length_bytes, &check_while_waiting);
  if (is_header) {
    const std::lock_guard lock(*mutex_);
    std::memcpy(header_.data(), parts.front().data(), kHeaderBytes);
    has_header_ = true;
  }
}

AtHand PythonSource::read_parts_at_hand(std::int64_t offset,
                                        std::span<const std::span<std::byte>> parts) const noexcept {
  if (process_ != ::getpid()) return AtHand::no;
  return queue_->read_if_there(offset, parts) ? AtHand::yes : AtHand::no;
}

void PythonSource::start_read(std::int64_t offset, std::int64_t length_bytes) const noexcept {
  // A new process begins with the first read, because this thread may hold the GIL.
  if (process_ != ::getpid()) return;
  try {
    queue_->announce({offset, offset + length_bytes});
  } catch (const std::bad_alloc&) {
    return;  // only a hint
  }
}

namespace {

/// (name, start, check_seconds), of PythonSource.
using SourceArguments = std::tuple<std::string, nb::object, double>;

std::shared_ptr<const ByteSource> make_source(const SourceArguments& arguments) {
  const auto& [name, start, check_seconds] = arguments;
  return std::make_shared<const PythonSource>(name, start, check_seconds);
}

/// Sources that are read through a cache in a folder, unless it is empty.
class Cache {
 public:
  Cache(const std::filesystem::path& folder, std::int64_t most_bytes) : options_{folder, most_bytes} {}

  std::shared_ptr<const ByteSource> with(std::shared_ptr<const ByteSource> source) {
    if (options_.folder.empty()) return source;
    const std::shared_ptr<const CachedSource> with_cache = cached(std::move(source), options_);
    if (problem_.empty()) problem_ = with_cache->problem();
    return with_cache;
  }
  /// Why the cache is not used; empty if it is.
  const std::string& problem() const { return problem_; }

 private:
  CacheOptions options_;
  std::string problem_;
};

/// The dataset, and why the cache is not used.
using Opened = std::pair<Dataset, std::string>;

Opened open_remote(const SourceArguments& file, const std::filesystem::path& cache_folder, std::int64_t cache_bytes) {
  std::shared_ptr<const ByteSource> source = make_source(file);
  const GilRelease released;
  Cache cache(cache_folder, cache_bytes);
  Dataset dataset = Dataset::open(cache.with(std::move(source)));
  return {std::move(dataset), cache.problem()};
}

Opened open_remote_shards(const SourceArguments& manifest, const nb::object& shard_of,
                          const std::filesystem::path& cache_folder, std::int64_t cache_bytes) {
  const std::shared_ptr<const ByteSource> source = make_source(manifest);
  const GilRelease released;
  Cache cache(cache_folder, cache_bytes);
  const auto shard_source = [&shard_of](const std::string& name) {
    const GilHold gil;
    return make_source(nb::cast<SourceArguments>(shard_of(name)));
  };
  Dataset dataset =
      Dataset::open_manifest(source, [&](const std::string& name) { return cache.with(shard_source(name)); });
  return {std::move(dataset), cache.problem()};
}

}  // namespace

void add_python_sources(nb::module_& module) {
  nb::class_<RangeQueue>(module, "RangeQueue", "What the readers of a remote file ask for.")
      .def("next", &next_requests, "most"_a)
      .def("needs_another_thread", &RangeQueue::needs_another_thread)
      .def("deliver", &deliver_bytes, "number"_a, "buffer"_a)
      .def("describe", &deliver_description, "number"_a, "length_bytes"_a, "identity"_a)
      .def("fail", &deliver_problem, "number"_a, "message"_a, "error_number"_a);
  nb::class_<ByteSource>(module, "ByteSource", "A remote file.");
  module.def(
      "remote_source",
      [](const SourceArguments& file) { return std::const_pointer_cast<ByteSource>(make_source(file)); }, "file"_a,
      "Describes a file as open_remote does.");
  module.def("open_remote", &open_remote, "file"_a, "cache_folder"_a, "cache_bytes"_a,
             "Opens a dataset file, (name, start(queue), check_seconds): the dataset, and why the cache is not used.");
  module.def("open_remote_shards", &open_remote_shards, "manifest"_a, "shard_of"_a, "cache_folder"_a, "cache_bytes"_a,
             "Opens the shards of a manifest; shard_of(name) describes one like the manifest.");
}

}  // namespace octavo::python
