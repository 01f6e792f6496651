#include "backend/host_queue.hpp"

#include <atomic>
#include <chrono>
#include <vector>

#include "backend/backend.hpp"
#include "catch.hpp"

using namespace octavo::backend;

TEST_CASE("a queue runs its tasks in order", "[unit][backend]") {
  std::vector<int> done;
  HostQueue queue;
  for (int i = 0; i < 100; ++i) queue.push([&done, i] { done.push_back(i); });
  queue.drain();
  REQUIRE(done.size() == 100);
  for (int i = 0; i < 100; ++i) REQUIRE(done[static_cast<std::size_t>(i)] == i);
}

TEST_CASE("a destroyed queue finishes its tasks", "[unit][backend]") {
  std::atomic<int> done = 0;
  {
    HostQueue queue;
    for (int i = 0; i < 10; ++i) queue.push([&done] { ++done; });
  }
  REQUIRE(done == 10);
}

TEST_CASE("a stream waits for the earlier record of an event and not for later ones", "[unit][backend]") {
  const auto backend = make_cpu_backend(1);
  const OwnedStream first(backend), second(backend);
  const OwnedEvent event(backend);
  std::atomic<bool> open = false;
  std::atomic<int> seen = 0;
  backend->record(event.get(), {});  // already complete
  static_cast<HostQueue*>(second.get())->push([&] { open.wait(false); });
  backend->wait(octavo::StreamRef(second.get()), event.get());
  static_cast<HostQueue*>(second.get())->push([&] { seen = 1; });
  // Record again after the second queue's own work. Waiting for this record would deadlock.
  backend->wait(octavo::StreamRef(first.get()), event.get());
  backend->record(event.get(), octavo::StreamRef(second.get()));
  open = true;
  open.notify_all();
  backend->synchronize(octavo::StreamRef(second.get()));
  backend->synchronize_event(event.get());
  REQUIRE(seen == 1);
}
