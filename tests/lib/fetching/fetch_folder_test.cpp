// The destination folder: existing files, concurrent fetches, and missing permissions.
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <filesystem>
#include <latch>
#include <octavo/errors.hpp>
#include <thread>

#include "catch.hpp"
#include "fetching.hpp"

using namespace octavo;
using namespace octavo::test;

namespace {

/// The error message of fetching in a child process, after `prepare` ran there.
std::string failure_in_child(const std::string& mirror, const std::filesystem::path& folder, void (*prepare)()) {
  int ends[2];
  REQUIRE(::pipe(ends) == 0);
  const pid_t child = ::fork();
  if (child == 0) {
    prepare();
    std::string message = "nothing";
    try {
      fetch(served_set({mirror}), folder, hasty());
    } catch (const std::exception& error) {
      message = error.what();
    }
    static_cast<void>(::write(ends[1], message.data(), message.size()));
    ::_exit(0);
  }
  ::close(ends[1]);
  char text[4096];
  const ssize_t count = ::read(ends[0], text, sizeof text);
  ::close(ends[0]);
  ::waitpid(child, nullptr, 0);
  return {text, static_cast<std::size_t>(std::max<ssize_t>(count, 0))};
}

constexpr uid_t kNobody = 65534;

}  // namespace

TEST_CASE("a different existing file is replaced only if that is allowed", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  const std::string there = GENERATE(std::string("mine"), damaged_content());
  write_bytes(folder / "a.bin", there);
  CHECK_THROWS_AS(fetch(served_set({server.url()}), folder.path(), hasty()), InvalidArgument);
  CHECK_THAT(failure({server.url()}, folder.path()),
             ContainsSubstring("is not the published one: its SHA-256 is") ||
                 ContainsSubstring("is not the published one: it has 4 bytes, not 300000"));
  CHECK(server.requests().empty());
  CHECK(bytes_of(folder / "a.bin") == there);
  FetchOptions options = hasty();
  options.replace_existing = true;
  std::filesystem::permissions(folder / "a.bin", std::filesystem::perms{0600});
  fetch(served_set({server.url()}), folder.path(), options);
  CHECK(bytes_of(folder / "a.bin") == served_content());
  CHECK(std::filesystem::status(folder / "a.bin").permissions() == std::filesystem::perms{0600});
}

TEST_CASE("nothing is written through a link or into a pipe or a folder", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  FetchOptions options = hasty();
  options.replace_existing = true;
  write_bytes(folder / "precious", "precious");
  for (const char* name : {"a.bin", "a.bin.part"}) {
    const TemporaryFolder target;
    std::filesystem::create_symlink(folder / "precious", target / name);
    CHECK_THROWS_AS(fetch(served_set({server.url()}), target.path(), options), Error);
    std::filesystem::remove(target / name);
    std::filesystem::create_directory(target / name);
    CHECK_THROWS_AS(fetch(served_set({server.url()}), target.path(), options), Error);
    CHECK(names_in(target.path()) == Names{name});
  }
  CHECK(bytes_of(folder / "precious") == "precious");
  CHECK_THROWS_AS(fetch(served_set({server.url()}), folder / "precious", options), IoError);
}

TEST_CASE("a link to the published file counts as the file", "[unit][fetch]") {
  const TemporaryFolder folder;
  write_bytes(folder / "elsewhere", served_content());
  std::filesystem::create_directory(folder / "set");
  std::filesystem::create_symlink(folder / "elsewhere", folder / "set" / "a.bin");
  CHECK(fetch(served_set({closed_url()}), folder / "set", hasty()).files[0].was_there);
}

TEST_CASE("two fetches do not use one folder at the same time", "[unit][fetch]") {
  const TemporaryFolder folder;
  std::latch has_begun(1);
  std::latch may_end(1);
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    has_begun.count_down();
    may_end.wait();
    serve_content(request, reply);
  });
  FetchOptions patient = hasty();
  patient.stall_seconds = 60;
  std::thread first([&] { fetch(served_set({server.url()}), folder.path(), patient); });
  has_begun.wait();
  CHECK_THAT(failure({server.url()}, folder.path()), ContainsSubstring("another fetch is at work there"));
  may_end.count_down();
  first.join();
  CHECK(server.requests().size() == 1);
  CHECK(bytes_of(folder / "a.bin") == served_content());
  CHECK(names_in(folder.path()) == Names{"a.bin"});
}

TEST_CASE("a file size limit is an error that names the part file", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  CHECK_THAT(failure_in_child(server.url(), folder.path(),
                              [] {
                                const rlimit limit = {100'000, 100'000};
                                ::setrlimit(RLIMIT_FSIZE, &limit);
                                ::signal(SIGXFSZ, SIG_IGN);
                              }),
             ContainsSubstring("a.bin.part\": File too large"));
  CHECK(names_in(folder.path()) == Names{"a.bin.part"});
  // The part file is within the limit, and the next call resumes.
  CHECK(bytes_of(folder / "a.bin.part") == served_content().substr(0, 100'000));
  CHECK(fetch(served_set({server.url()}), folder.path(), hasty()).received_bytes == 200'000);
}

TEST_CASE("a folder without write permission is an error unless it is complete", "[unit][fetch]") {
  const TemporaryFolder folder;
  const HttpServer server(&serve_well);
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  const auto as_nobody = [] {
    if (::getuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) ::_exit(99);
  };
  const std::string message = failure_in_child(server.url(), folder.path(), as_nobody);
  CHECK_THAT(message, ContainsSubstring("Permission denied; check its permissions"));
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  write_bytes(folder / "a.bin", served_content());
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0555));
  CHECK(failure_in_child(server.url(), folder.path(), as_nobody) == "nothing");
  std::filesystem::permissions(folder.path(), std::filesystem::perms(0755));
  CHECK(server.requests().empty());
}
