// The PTX of kernels in the files of a folder.
#include "launch/code_library.hpp"

#include <fstream>

#include "catch.hpp"
#include "checks/findings.hpp"
#include "launch/symbols.hpp"
#include "temporary_folder.hpp"

using namespace device_code;

namespace {

/// The host function of a kernel.
void launched() {}
const void* const kLaunched = reinterpret_cast<const void*>(&launched);

/// A file with a kernel of this name.
void write_ptx(const std::filesystem::path& file, const std::string& kernel) {
  std::ofstream(file) << ".visible .entry " << kernel << "()\n{\nret;\n}\n";
}

std::string refusal(CodeLibrary& library) {
  try {
    library.kernel(kLaunched);
    return {};
  } catch (const std::runtime_error& error) {
    return error.what();
  }
}

}  // namespace

TEST_CASE("a kernel is found by its host function, and is used from then on", "[unit][device_code]") {
  const octavo::test::TemporaryFolder folder;
  write_ptx(folder.path() / "some.ptx", symbol_at(kLaunched));
  CodeLibrary library(folder.path());
  CHECK(library.unused_kernels() == std::vector<std::string>{demangled(symbol_at(kLaunched))});
  CHECK(library.kernel(kLaunched).name == symbol_at(kLaunched));
  CHECK(library.unused_kernels().empty());
}

TEST_CASE("a kernel without PTX is refused with its name", "[unit][device_code]") {
  const octavo::test::TemporaryFolder folder;
  write_ptx(folder.path() / "some.ptx", "other");
  CodeLibrary library(folder.path());
  CHECK(refusal(library) == "launch a kernel: there is no PTX of \"" + demangled(symbol_at(kLaunched)) + "\"");
}

TEST_CASE("a kernel that its file has lost since the start is refused", "[unit][device_code]") {
  const octavo::test::TemporaryFolder folder;
  write_ptx(folder.path() / "some.ptx", symbol_at(kLaunched));
  CodeLibrary library(folder.path());
  write_ptx(folder.path() / "some.ptx", "other");
  CHECK(refusal(library) == "launch a kernel: some.ptx has changed and has no \"" + demangled(symbol_at(kLaunched)) +
                                "\" any more; run the program again");
}
