// `octavo fetch` from servers on the loopback interface.
#include <signal.h>

#include <chrono>
#include <thread>

#include "catch.hpp"
#include "program.hpp"
#include "set_server.hpp"
#include "shared_data.hpp"
#include "temporary_folder.hpp"

using namespace octavo::test;

namespace {

/// A description of the served set, or of one with these files, at a base URL.
std::string description(const std::string& mirror, const nlohmann::ordered_json& files) {
  return nlohmann::ordered_json{{"name", "served"}, {"mirrors", {mirror}}, {"files", files}}.dump();
}

std::string description(const std::string& mirror) {
  return description(mirror, {{{"name", "a.bin"}, {"bytes", 300'000}, {"sha256", kServedSha256}}});
}

/// Waits until the file has content or the program has ended.
void wait_for_content(RunningProgram& program, const std::filesystem::path& path) {
  while (!program.has_ended() && bytes_of(path).empty()) std::this_thread::sleep_for(std::chrono::milliseconds(1));
}

}  // namespace

TEST_CASE("the known sets are listed as text and as descriptions", "[unit][tools][plain-only]") {
  const Outcome text = run_octavo({"fetch", "--list"});
  CHECK(text.exit_code == 0);
  for (const char* name : {"mnist", "fashion-mnist", "kmnist", "cifar10", "cifar100", "stl10", "svhn", "svhn-extra"}) {
    CHECK_THAT(text.out, ContainsSubstring(std::string("\n") + name + " "));
  }
  const auto sets = run_octavo({"fetch", "--list", "--json"}).json()["sets"];
  REQUIRE(sets.size() == 8);
  CHECK_THAT(run_octavo({"fetch", "svhn", "--list"}).out, ContainsSubstring("train_32x32.mat"));
  const HttpServer server(&serve_nothing);
  for (const auto& set : sets) {
    CHECK(run_octavo({"fetch", set["name"], "--list", "--json"}).json() == set);
    // --from accepts each of them: fetching gets as far as requesting the first file.
    const TemporaryFolder folder;
    write_bytes(folder / "set.json", set.dump());
    const Outcome outcome =
        run_octavo({"fetch", "--from", folder / "set.json", "-o", folder / "set", "--mirror", server.url(), "--quiet"});
    CHECK(outcome.exit_code == 1);
    CHECK(server.requests().back().path == "/" + set["files"][0]["name"].get<std::string>());
  }
}

TEST_CASE("a set is fetched and the printed command packs it", "[unit][tools]") {
  const std::filesystem::path digits = project_data("digits");
  const HttpServer server([&](const HttpRequest& request, const HttpReply& reply) {
    reply.serve(request, bytes_of(digits / request.path.substr(1)));
  });
  // The checksums in data/digits/SHA256SUMS.
  nlohmann::ordered_json files;
  std::ifstream sums(digits / "SHA256SUMS");
  for (std::string sum, name; sums >> sum >> name;) {
    if (!name.ends_with(".gz")) continue;
    files.push_back({{"name", name}, {"bytes", std::filesystem::file_size(digits / name)}, {"sha256", sum}});
  }
  REQUIRE(files.size() == 4);
  const TemporaryFolder folder;
  write_bytes(folder / "set.json", description(server.url(), files));
  const Outcome fetched =
      run_octavo({"fetch", "--from", folder / "set.json", "-o", folder / "it's digits", "--json", "--quiet"});
  INFO(fetched.err);
  REQUIRE(fetched.exit_code == 0);
  CHECK(fetched.json()["files"].size() == 4);
  const std::string command = fetched.json()["pack_command"];
  CHECK_THAT(command, ContainsSubstring("octavo pack '") && ContainsSubstring("it'\\''s digits'") &&
                          ContainsSubstring(" -o served.h5"));
  const std::string script = "cd '" + folder.path().string() + "' && octavo() { '" OCTAVO_PROGRAM "' \"$@\"; } && " +
                             command + " --quiet >/dev/null";
  CHECK(std::system(script.c_str()) == 0);
  CHECK(run_octavo({"info", folder / "served.h5", "--json"}).exit_code == 0);
}

TEST_CASE("the pack entry of a set can be a file with its split", "[unit][tools]") {
  const HttpServer server(&serve_content);
  const TemporaryFolder folder;
  nlohmann::ordered_json set = nlohmann::ordered_json::parse(description(server.url()));
  set["pack"] = {"extra=a.bin"};
  write_bytes(folder / "set.json", set.dump());
  const Outcome outcome = run_octavo({"fetch", "--from", folder / "set.json", "-o", folder / "x", "--json", "--quiet"});
  INFO(outcome.err);
  REQUIRE(outcome.exit_code == 0);
  CHECK_THAT(outcome.json()["pack_command"].get<std::string>(),
             ContainsSubstring("extra=") && ContainsSubstring("/x/a.bin'"));
}

TEST_CASE("a second fetch finds everything complete", "[unit][tools]") {
  const HttpServer server(&serve_content);
  const TemporaryFolder folder;
  write_bytes(folder / "set.json", description(server.url()));
  const std::vector<std::string> words = {"fetch", "--from", folder / "set.json", "-o", folder / "set", "--quiet"};
  const Outcome first = run_octavo(words);
  CHECK_THAT(first.out, ContainsSubstring("from " + server.url() + "a.bin") && !ContainsSubstring("try next"));
  CHECK(first.err.empty());
  CHECK_THAT(run_octavo(words).out, ContainsSubstring("already there"));
  CHECK_THAT(run_octavo({words.begin(), words.end() - 1}).out, ContainsSubstring("try next: octavo pack"));
  CHECK(server.requests().size() == 1);
}

TEST_CASE("a fetch of more than a second reports its progress", "[unit][tools]") {
  const HttpServer server([](const HttpRequest& request, const HttpReply& reply) {
    std::this_thread::sleep_for(std::chrono::milliseconds(1100));
    serve_content(request, reply);
  });
  const TemporaryFolder folder;
  write_bytes(folder / "set.json", description(server.url()));
  const Outcome outcome = run_octavo({"fetch", "--from", folder / "set.json", "-o", folder / "set"});
  CHECK_THAT(outcome.err, ContainsSubstring("octavo: fetching a.bin: 100 %"));
}

TEST_CASE("an interrupted fetch keeps the received bytes and the next one resumes", "[unit][tools]") {
  const auto [signal_number, exit_code] = GENERATE(table<int, int>({{SIGINT, 130}, {SIGTERM, 143}}));
  StallingServer server;
  const TemporaryFolder folder;
  write_bytes(folder / "set.json", description(server.url()));
  const std::vector<std::string> words = {"fetch", "--from", folder / "set.json", "-o", folder / "set", "--json"};
  RunningProgram program(words);
  wait_for_content(program, folder / "set" / "a.bin.part");
  program.send(signal_number);
  const Outcome outcome = program.wait();
  INFO(outcome.err);
  CHECK(outcome.exit_code == exit_code);
  CHECK_THAT(outcome.err, ContainsSubstring("octavo: error: interrupted; received data is kept"));
  CHECK(names_in(folder / "set") == std::vector<std::string>{"a.bin.part"});
  server.stall_no_more();
  const Outcome next = run_octavo(words);
  CHECK(next.exit_code == 0);
  CHECK(next.json()["received_bytes"] < 300'000);
  CHECK(bytes_of(folder / "set" / "a.bin") == served_content());
}

TEST_CASE("a killed fetch does not block the next one", "[unit][tools][plain-only]") {
  StallingServer server;
  const TemporaryFolder folder;
  write_bytes(folder / "set.json", description(server.url()));
  const std::vector<std::string> words = {"fetch", "--from", folder / "set.json", "-o", folder / "set", "--quiet"};
  RunningProgram program(words);
  wait_for_content(program, folder / "set" / "a.bin.part");
  program.send(SIGKILL);
  program.wait();
  server.stall_no_more();
  CHECK(run_octavo(words).exit_code == 0);
  CHECK(names_in(folder / "set") == std::vector<std::string>{"a.bin"});
}

TEST_CASE("a failed fetch is a one-line error with exit code 1", "[unit][tools]") {
  const HttpServer server(&serve_damaged);
  const TemporaryFolder folder;
  write_bytes(folder / "set.json", description(server.url()));
  const std::vector<std::string> words = {"fetch", "--from", folder / "set.json", "-o", folder / "set", "--quiet"};
  const Outcome wrong = run_octavo(words);
  CHECK(wrong.exit_code == 1);
  CHECK(wrong.is_one_line_error());
  CHECK_THAT(wrong.err, ContainsSubstring("a.bin\"") && ContainsSubstring("its SHA-256 is "));
  const Outcome refused =
      run_octavo({"fetch", "mnist", "-o", folder / "set", "--mirror", closed_url(), "--retries", "0", "--quiet"});
  CHECK(refused.exit_code == 1);
  CHECK(refused.is_one_line_error());
  write_bytes(folder / "set.json", "{}");
  const Outcome no_set = run_octavo(words);
  CHECK(no_set.exit_code == 1);
  CHECK(no_set.is_one_line_error());
  CHECK(names_in(folder.path()) == std::vector<std::string>{"set.json"});
}

TEST_CASE("invalid fetch arguments are a one-line error with exit code 2", "[unit][tools][plain-only]") {
  const auto arguments = GENERATE(values<std::vector<std::string>>({{"fetch"},
                                                                    {"fetch", "no-such-set"},
                                                                    {"fetch", "no-such-set", "--list"},
                                                                    {"fetch", "mnist", "--from", "x.json"},
                                                                    {"fetch", "mnist", "--mirror", "ftp://127.0.0.1/"},
                                                                    {"fetch", "mnist", "--retries", "-1"},
                                                                    {"fetch", "mnist", "--timeout", "0"}}));
  const Outcome outcome = run_octavo(arguments);
  INFO(outcome.err);
  CHECK(outcome.exit_code == 2);
  CHECK(outcome.is_one_line_error());
  CHECK_FALSE(std::filesystem::exists("mnist"));
}
