// A shared library that is loaded when it is first needed.
#pragma once

#include <string>
#include <vector>

namespace octavo::training {

/// Stays loaded until the process ends. Errors begin with `purpose`, such as "multiply matrices on a GPU".
class LoadedLibrary {
 public:
  /// Loads the first of `paths` that exists; a path without a slash is searched for as by dlopen(3). Throws Unavailable
  /// if there is none; `advice` completes the message.
  LoadedLibrary(std::string purpose, const std::vector<std::string>& paths, const std::string& advice);

  /// Whether it has a function of this name.
  bool has(const std::string& name) const;

  /// Sets `function` to the function `name` of the library. Throws Unavailable if the library has none.
  template <typename Function>
  void find(Function& function, const std::string& name) const {
    function = reinterpret_cast<Function>(address_of(name));
  }

 private:
  void* address_of(const std::string& name) const;

  std::string purpose_;
  std::string path_;
  void* handle_ = nullptr;
};

}  // namespace octavo::training
