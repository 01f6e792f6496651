#include "ptx/module.hpp"

namespace device_code {

Function* Module::find(std::string_view function_name) const {
  for (const auto& function : functions) {
    if (function->name == function_name) return function.get();
  }
  return nullptr;
}

std::string describe_source(const Instruction& instruction) {
  const auto place = [&](int number, int line) {
    const auto& files = instruction.function->module->files;
    const auto found = files.find(number);
    if (found == files.end()) return std::string("PTX line ") + std::to_string(instruction.ptx_line);
    // From the root of the repository. The lab has a folder of kernels, too.
    std::size_t room = found->second.rfind("lib/lab/src/");
    if (room == std::string::npos) room = found->second.rfind("kernels/");
    return found->second.substr(room == std::string::npos ? 0 : room) + ":" + std::to_string(line);
  };
  const SourceLine& source = instruction.source;
  std::string text = place(source.file, source.line);
  if (source.caller_file != 0) text += " < " + place(source.caller_file, source.caller_line);
  return text;
}

}  // namespace device_code
