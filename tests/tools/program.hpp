// Running the built program, as a shell would.
#pragma once

#include <sys/resource.h>
#include <sys/types.h>

#include <cstdint>
#include <filesystem>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "temporary_folder.hpp"

namespace octavo::test {

/// What a run of the program left.
struct Outcome {
  int exit_code = 0;  ///< -N if signal N killed it
  std::string out;
  std::string err;
  std::int64_t peak_mebibytes = 0;  ///< of memory, of it or of a child that it has waited for
  double cpu_seconds = 0;           ///< of both
  /// stdout, which must be one JSON document and nothing else.
  nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(out); }
  /// Whether stderr is one line that begins as errors do.
  bool is_one_line_error() const;
};

/// A run of the program that may still go on; waits for it when destroyed.
class RunningProgram {
 public:
  /// `out` is where stdout goes, -1: into a file that wait() reads.
  explicit RunningProgram(const std::vector<std::string>& arguments, int out = -1);
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  bool has_ended();
  void send(int signal_number) const;
  Outcome wait();

 private:
  /// Asks for the end of the program, and what it has taken.
  void reap(int options);
  pid_t process_ = -1;
  int out_ = -1;  ///< files without a name
  int err_ = -1;
  int status_ = 0;
  struct rusage usage_ {};
  bool has_ended_ = false;
};

/// Runs `octavo` with these arguments and waits for it.
inline Outcome run_octavo(const std::vector<std::string>& arguments) { return RunningProgram(arguments).wait(); }

/// Packs the digits of the project into `path`.
void pack_digits(const std::filesystem::path& path);

/// Turns a bit in the middle of a dataset file, which is in a sample where samples take most of it.
void damage_sample(const std::filesystem::path& path);

/// Writes a PNG of one color.
void write_png(const std::filesystem::path& path, std::int64_t width, std::int64_t height, std::uint8_t value,
               std::int64_t channels = 3);

}  // namespace octavo::test
