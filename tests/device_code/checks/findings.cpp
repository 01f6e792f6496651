#include "checks/findings.hpp"

#include <cxxabi.h>

#include <cstdlib>
#include <memory>

#include "ptx/module.hpp"

namespace device_code {

std::string_view name_of(Fault fault) {
  switch (fault) {
    case Fault::out_of_bounds:
      return "access out of bounds";
    case Fault::misaligned:
      return "misaligned access";
    case Fault::wrong_space:
      return "address of another memory";
    case Fault::parameter_store:
      return "store to a parameter";
    case Fault::undefined_branch:
      return "branch on an undefined value";
    case Fault::undefined_address:
      return "undefined address";
    case Fault::undefined_operand:
      return "undefined operand";
    case Fault::undefined_store:
      return "undefined value stored";
    case Fault::read_after_write:
      return "race: read after write";
    case Fault::write_after_write:
      return "race: write after write";
    case Fault::write_after_read:
      return "race: write after read";
    case Fault::noncoherent_load:
      return "noncoherent load of written data";
    case Fault::divergent_barrier:
      return "divergent barrier";
    case Fault::divergent_warp_barrier:
      return "divergent warp barrier";
    case Fault::absent_lane:
      return "shuffle from an absent lane";
    case Fault::not_in_mask:
      return "lane outside of its mask";
    case Fault::deadlock:
      return "deadlock";
    case Fault::block_size:
      return "block larger than .maxntid";
    case Fault::division_by_zero:
      return "division by zero";
    case Fault::conversion_range:
      return "conversion out of range";
    case Fault::trap:
      return "trap";
  }
  return "";
}

void Findings::report(Fault fault, const Instruction& instruction, const std::function<std::string()>& example) {
  const auto [place, is_new] = numbers_.try_emplace({fault, &instruction}, findings_.size());
  if (!is_new) {
    ++findings_[place->second].count;
    return;
  }
  findings_.push_back({fault, kernel_ == nullptr ? std::string() : demangled(kernel_->name),
                       describe_source(instruction), instruction.text + ": " + example()});
}

u64 Findings::count(Fault fault) const {
  u64 count = 0;
  for (const Finding& finding : findings_) count += finding.fault == fault ? finding.count : 0;
  return count;
}

void Findings::clear() {
  findings_.clear();
  numbers_.clear();
}

std::string Findings::text() const {
  std::string text;
  for (const Finding& finding : findings_) {
    text += std::string(name_of(finding.fault)) + " at " + finding.source + " in " + finding.kernel + ", " +
            std::to_string(finding.count) + " times; " + finding.example + "\n";
  }
  return text;
}

std::string demangled(const std::string& name) {
  int status = 0;
  const std::unique_ptr<char, decltype(&std::free)> text(abi::__cxa_demangle(name.c_str(), nullptr, nullptr, &status),
                                                         &std::free);
  return status == 0 ? text.get() : name;
}

}  // namespace device_code
