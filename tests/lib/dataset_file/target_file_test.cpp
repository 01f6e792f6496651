#include "dataset_file/write/target_file.hpp"

#include <atomic>
#include <fstream>
#include <octavo/errors.hpp>
#include <string>
#include <thread>
#include <vector>

#include "catch.hpp"
#include "temporary_folder.hpp"

using octavo::dataset_file::TargetFile;
using octavo::test::TemporaryFolder;

TEST_CASE("writers that start while another one finishes are refused at once", "[unit][archive]") {
  const TemporaryFolder folder;
  constexpr int kFiles = 500, kWriters = 4;
  // A writer that gets the lock writes the whole file, and must not learn afterwards that another one was faster.
  std::atomic<int> written = 0, in_vain = 0;
  std::vector<std::thread> writers;
  for (int writer = 0; writer < kWriters; ++writer) {
    writers.emplace_back([&] {
      for (int file = 0; file < kFiles;) {
        const std::filesystem::path path = folder / std::to_string(file);
        try {
          TargetFile target(path, false);
          std::ofstream(target.partial()) << "content";
          try {
            target.publish();
            ++written;
          } catch (const octavo::IoError&) {
            ++in_vain;
          }
        } catch (const octavo::InvalidArgument&) {
          ++file;  // it exists
        } catch (const octavo::LockTaken&) {
        }
      }
    });
  }
  for (std::thread& writer : writers) writer.join();
  CHECK(written == kFiles);
  CHECK(in_vain == 0);
}
