#include "launch/code_library.hpp"

#include <fstream>
#include <iterator>
#include <stdexcept>

#include "checks/findings.hpp"
#include "launch/symbols.hpp"

namespace device_code {
namespace {

std::string text_of(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) throw std::runtime_error("read " + path.string() + ": the file cannot be opened");
  return {std::istreambuf_iterator<char>(file), {}};
}

}  // namespace

CodeLibrary::CodeLibrary(const std::filesystem::path& folder) {
  for (const auto& entry : std::filesystem::directory_iterator(folder)) {
    if (entry.path().extension() == ".ptx") list_kernels(entry.path());
  }
  if (places_.empty()) throw std::runtime_error("read " + folder.string() + ": it has no PTX files with kernels");
}

void CodeLibrary::list_kernels(const std::filesystem::path& file) {
  const std::string text = text_of(file);
  constexpr std::string_view kEntry = ".entry ";
  for (std::size_t at = text.find(kEntry); at != std::string::npos; at = text.find(kEntry, at)) {
    at += kEntry.size();
    std::string mangled = text.substr(at, text.find('(', at) - at);
    std::string name = demangled(mangled);
    const auto [place, is_new] = places_.try_emplace(std::move(name), Place{file, std::move(mangled), false});
    if (!is_new) throw std::runtime_error("read " + file.string() + ": a second kernel " + place->first);
  }
}

const Function& CodeLibrary::kernel(const void* host_function) {
  const Function*& kernel = kernels_[host_function];
  if (kernel != nullptr) return *kernel;
  const std::string name = demangled(symbol_at(host_function));
  const auto place = places_.find(name);
  if (place == places_.end()) throw std::runtime_error("launch a kernel: there is no PTX of \"" + name + "\"");
  std::unique_ptr<Module>& module = modules_[place->second.file];
  if (module == nullptr) module = parse_module(text_of(place->second.file), place->second.file.filename().string());
  kernel = module->find(place->second.mangled);
  if (kernel == nullptr) {
    throw std::runtime_error("launch a kernel: " + module->name + " has changed and has no \"" + name +
                             "\" any more; run the program again");
  }
  place->second.is_used = true;
  return *kernel;
}

std::vector<std::string> CodeLibrary::unused_kernels() const {
  std::vector<std::string> names;
  for (const auto& [name, place] : places_) {
    if (!place.is_used) names.push_back(name);
  }
  return names;
}

}  // namespace device_code
