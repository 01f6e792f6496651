#include "launch/symbols.hpp"

#include <elf.h>
#include <link.h>

#include <cstdint>
#include <cstring>
#include <fstream>
#include <iterator>
#include <map>
#include <vector>

namespace device_code {
namespace {

/// An object file in memory: the program or a library.
struct LoadedObject {
  std::uintptr_t address;  ///< to find
  std::string path;
  std::uintptr_t base = 0;
};

LoadedObject find_object(std::uintptr_t address) {
  LoadedObject object{address, {}};
  dl_iterate_phdr(
      [](dl_phdr_info* info, std::size_t, void* found) {
        auto& wanted = *static_cast<LoadedObject*>(found);
        for (int k = 0; k < info->dlpi_phnum; ++k) {
          const auto& segment = info->dlpi_phdr[k];
          const std::uintptr_t begin = info->dlpi_addr + segment.p_vaddr;
          if (segment.p_type != PT_LOAD || wanted.address - begin >= segment.p_memsz) continue;
          wanted.path = info->dlpi_name[0] == '\0' ? "/proc/self/exe" : info->dlpi_name;
          wanted.base = info->dlpi_addr;
          return 1;
        }
        return 0;
      },
      &object);
  return object;
}

using Symbols = std::map<std::uintptr_t, std::string>;

/// The functions in the symbol table of an ELF file, by their addresses in the file.
Symbols read_symbols(const std::string& path) {
  std::ifstream file(path, std::ios::binary);
  const std::vector<char> bytes{std::istreambuf_iterator<char>(file), {}};
  const auto read = [&]<typename T>(std::size_t offset, T& to) { std::memcpy(&to, bytes.data() + offset, sizeof to); };
  Symbols symbols;
  ElfW(Ehdr) header;
  if (bytes.size() < sizeof header) return symbols;
  read(0, header);
  const auto section = [&](std::size_t number) {
    ElfW(Shdr) found;
    read(header.e_shoff + number * sizeof found, found);
    return found;
  };
  for (std::size_t k = 0; k < header.e_shnum; ++k) {
    const ElfW(Shdr) table = section(k);
    if (table.sh_type != SHT_SYMTAB) continue;
    const ElfW(Shdr) names = section(table.sh_link);
    for (std::size_t at = 0; at < table.sh_size; at += sizeof(ElfW(Sym))) {
      ElfW(Sym) symbol;
      read(table.sh_offset + at, symbol);
      if (ELF64_ST_TYPE(symbol.st_info) != STT_FUNC) continue;
      symbols[symbol.st_value] = bytes.data() + names.sh_offset + symbol.st_name;
    }
  }
  return symbols;
}

}  // namespace

std::string symbol_at(const void* address) {
  static std::map<std::string, Symbols> of_file;
  const LoadedObject object = find_object(reinterpret_cast<std::uintptr_t>(address));
  const auto [place, is_new] = of_file.try_emplace(object.path);
  if (is_new) place->second = read_symbols(object.path);
  const auto found = place->second.find(object.address - object.base);
  return found == place->second.end() ? std::string() : found->second;
}

}  // namespace device_code
