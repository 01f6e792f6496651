// A PTX module: its functions, with their registers, parameters, memory and code.
#pragma once

#include <map>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "ptx/instruction.hpp"

namespace device_code {

/// The highest byte of a generic address names its window. Global memory is host memory, whose highest byte is 0.
inline constexpr u64 kWindowMask = u64{0xFF} << 56;
inline constexpr u64 kSharedWindow = u64{0x51} << 56, kLocalWindow = u64{0x52} << 56,
                     kParameterWindow = u64{0x53} << 56, kFrameWindow = u64{0x54} << 56;
/// Where shared memory and parameters begin in their windows, so that null is outside.
inline constexpr u64 kSharedBegin = 1024, kParameterBegin = 1024;

struct Parameter {
  std::string name;
  u64 offset = 0, bytes = 0;
};

struct Module;

struct Function {
  std::string name;  ///< mangled
  bool is_kernel = false;
  std::vector<Parameter> parameters;
  Parameter result;
  u64 parameter_bytes = 0;
  u64 shared_bytes = 0, local_bytes = 0;
  u64 frame_bytes = 0;            ///< of its own parameters and of those of its calls; a kernel's own are not in it
  std::vector<u8> register_bits;  ///< of each register; 1 for predicates
  std::vector<Instruction> code;
  u64 most_threads = 1024;  ///< .maxntid
  const Module* module = nullptr;
};

struct Module {
  std::string name;    ///< of its file
  std::string target;  ///< such as "sm_90"
  std::map<int, std::string> files;
  std::vector<std::unique_ptr<Function>> functions;

  /// Null if there is none.
  Function* find(std::string_view function_name) const;
};

/// Parses the text of a module; `name` is for messages. Throws std::runtime_error, which names the line, for anything
/// that the machine cannot run.
std::unique_ptr<Module> parse_module(std::string_view text, std::string name);

/// Where an instruction comes from, the innermost line first: "kernels/gather.hpp:12 < kernels/cuda/gather_any.cu:67".
std::string describe_source(const Instruction& instruction);

}  // namespace device_code
