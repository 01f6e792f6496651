#include "training/blas/loaded_library.hpp"

#include <dlfcn.h>

#include <utility>

#include <octavo/errors.hpp>

namespace octavo::training {

LoadedLibrary::LoadedLibrary(std::string purpose, const std::vector<std::string>& paths, const std::string& advice)
    : purpose_(std::move(purpose)) {
  for (const std::string& path : paths) {
    path_ = path;
    handle_ = ::dlopen(path.c_str(), RTLD_NOW | RTLD_LOCAL);
    if (handle_ != nullptr) return;
  }
  const char* const reason = ::dlerror();  // begins with the path
  throw Unavailable(purpose_ + ": " + (reason != nullptr ? reason : path_ + " cannot be loaded") + "; " + advice);
}

bool LoadedLibrary::has(const std::string& name) const { return ::dlsym(handle_, name.c_str()) != nullptr; }

void* LoadedLibrary::address_of(const std::string& name) const {
  void* const address = ::dlsym(handle_, name.c_str());
  if (address == nullptr) throw Unavailable(purpose_ + ": " + path_ + " has no " + name + "; install another version");
  return address;
}

}  // namespace octavo::training
