#include "program.hpp"

#include <fcntl.h>
#include <signal.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <fstream>
#include <stdexcept>

#include "png/png_writer.hpp"
#include "shared_data.hpp"

extern char** environ;

namespace octavo::test {
namespace {

int file_without_name() {
  std::string name = (std::filesystem::temp_directory_path() / "octavo-output-XXXXXX").string();
  const int descriptor = ::mkostemp(name.data(), O_CLOEXEC);
  if (descriptor < 0) throw std::runtime_error("cannot create a temporary file");
  ::unlink(name.c_str());
  return descriptor;
}

std::string contents_of(int descriptor) {
  std::string text(static_cast<std::size_t>(::lseek(descriptor, 0, SEEK_END)), '\0');
  const ssize_t count = ::pread(descriptor, text.data(), text.size(), 0);
  if (count != static_cast<ssize_t>(text.size())) throw std::runtime_error("cannot read the output");
  return text;
}

double seconds_of(const timeval& time) {
  return static_cast<double>(time.tv_sec) + 1e-6 * static_cast<double>(time.tv_usec);
}

}  // namespace

bool Outcome::is_one_line_error() const {
  return err.starts_with("octavo: error: ") && err.ends_with('\n') && std::count(err.begin(), err.end(), '\n') == 1;
}

RunningProgram::RunningProgram(const std::vector<std::string>& arguments, int out, std::string program)
    : out_(file_without_name()), err_(file_without_name()) {
  if (program.empty()) program = OCTAVO_PROGRAM;
  std::vector<std::string> words = {program};
  words.insert(words.end(), arguments.begin(), arguments.end());
  std::vector<char*> pointers;
  for (std::string& word : words) pointers.push_back(word.data());
  pointers.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, out < 0 ? out_ : out, STDOUT_FILENO);
  posix_spawn_file_actions_adddup2(&actions, err_, STDERR_FILENO);
  // As in a terminal: a background job may have inherited an ignored SIGINT.
  sigset_t signals;
  sigemptyset(&signals);
  sigaddset(&signals, SIGINT);
  posix_spawnattr_t attributes;
  posix_spawnattr_init(&attributes);
  posix_spawnattr_setsigdefault(&attributes, &signals);
  posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETSIGDEF);
  const int error = ::posix_spawn(&process_, program.c_str(), &actions, &attributes, pointers.data(), environ);
  posix_spawnattr_destroy(&attributes);
  posix_spawn_file_actions_destroy(&actions);
  if (error != 0) throw std::runtime_error("cannot run " + program);
}

RunningProgram::~RunningProgram() {
  if (!has_ended()) {
    send(SIGKILL);
    reap(0);
  }
  ::close(out_);
  ::close(err_);
}

void RunningProgram::reap(int options) {
  if (!has_ended_) has_ended_ = ::wait4(process_, &status_, options, &usage_) == process_;
}

bool RunningProgram::has_ended() {
  reap(WNOHANG);
  return has_ended_;
}

void RunningProgram::send(int signal_number) const { ::kill(process_, signal_number); }

Outcome RunningProgram::wait() {
  reap(0);
  return {WIFEXITED(status_) ? WEXITSTATUS(status_) : -WTERMSIG(status_), contents_of(out_), contents_of(err_),
          usage_.ru_maxrss / 1024, seconds_of(usage_.ru_utime) + seconds_of(usage_.ru_stime)};
}

void pack_digits(const std::filesystem::path& path) {
  const Outcome outcome = run_octavo({"pack", project_data("digits").string(), "-o", path.string(), "--quiet"});
  if (outcome.exit_code != 0) throw std::runtime_error("cannot pack the digits: " + outcome.err);
}

void damage_sample(const std::filesystem::path& path) {
  std::fstream file(path, std::ios::in | std::ios::out | std::ios::binary);
  const auto middle = static_cast<std::streamoff>(std::filesystem::file_size(path) / 2);
  file.seekg(middle);
  const int byte = file.get();
  file.seekp(middle);
  file.put(static_cast<char>(byte ^ 1));
}

void write_png(const std::filesystem::path& path, std::int64_t width, std::int64_t height, std::uint8_t value,
               std::int64_t channels) {
  const std::vector<std::uint8_t> values(static_cast<std::size_t>(width * height * channels), value);
  const auto bytes = png::encode({width, height, channels, values});
  std::filesystem::create_directories(path.parent_path());
  std::ofstream(path, std::ios::binary)
      .write(reinterpret_cast<const char*>(bytes.data()), static_cast<std::streamsize>(bytes.size()));
}

}  // namespace octavo::test
