// Runs the built program as a shell would.
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

/// The result of a run of the program.
struct Outcome {
  int exit_code = 0;  ///< -N if signal N killed it
  std::string out;
  std::string err;
  std::int64_t peak_mebibytes = 0;  ///< peak memory of the program or of a child that it waited for
  double cpu_seconds = 0;           ///< CPU time of the program and its children
  /// stdout, which must be one JSON document and nothing else.
  nlohmann::ordered_json json() const { return nlohmann::ordered_json::parse(out); }
  /// Whether stderr is one line with the prefix of errors.
  bool is_one_line_error() const;
};

/// A run of the program that may still be in progress. The destructor waits for its end.
class RunningProgram {
 public:
  /// `out` is the descriptor for stdout. -1: a temporary file that wait() reads. `program`: if empty, `octavo`.
  explicit RunningProgram(const std::vector<std::string>& arguments, int out = -1, std::string program = "");
  ~RunningProgram();
  RunningProgram(const RunningProgram&) = delete;
  RunningProgram& operator=(const RunningProgram&) = delete;

  bool has_ended();
  void send(int signal_number) const;
  Outcome wait();

 private:
  /// Collects the exit status of the program and its resource usage.
  void reap(int options);
  pid_t process_ = -1;
  int out_ = -1;  ///< unnamed files
  int err_ = -1;
  int status_ = 0;
  struct rusage usage_ {};
  bool has_ended_ = false;
};

/// Runs `octavo` with these arguments and waits for its end.
inline Outcome run_octavo(const std::vector<std::string>& arguments) { return RunningProgram(arguments).wait(); }

/// Packs the project's digits into `path`.
void pack_digits(const std::filesystem::path& path);

/// Flips a bit in the middle of a dataset file. That is in a sample if samples take up most of the file.
void damage_sample(const std::filesystem::path& path);

/// Writes a PNG of one color.
void write_png(const std::filesystem::path& path, std::int64_t width, std::int64_t height, std::uint8_t value,
               std::int64_t channels = 3);

}  // namespace octavo::test
