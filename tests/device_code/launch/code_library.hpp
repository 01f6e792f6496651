// The PTX of all kernels for one architecture, as files of a folder.
#pragma once

#include <filesystem>
#include <map>
#include <memory>
#include <string>
#include <vector>

#include "ptx/module.hpp"

namespace device_code {

class CodeLibrary {
 public:
  /// Lists the kernels in the files *.ptx of a folder. A file is parsed when one of its kernels is first used. Throws
  /// std::runtime_error if the folder has no kernels.
  explicit CodeLibrary(const std::filesystem::path& folder);

  /// The kernel that a host function launches. Throws std::runtime_error if no file has it, or no longer.
  const Function& kernel(const void* host_function);
  /// The C++ names of the kernels that kernel() has not been called for.
  std::vector<std::string> unused_kernels() const;
  /// The modules parsed so far.
  const std::map<std::filesystem::path, std::unique_ptr<Module>>& modules() const { return modules_; }

 private:
  struct Place {
    std::filesystem::path file;
    std::string mangled;
    bool is_used = false;
  };
  void list_kernels(const std::filesystem::path& file);

  std::map<std::string, Place> places_;  ///< by C++ name
  std::map<std::filesystem::path, std::unique_ptr<Module>> modules_;
  std::map<const void*, const Function*> kernels_;
};

}  // namespace device_code
