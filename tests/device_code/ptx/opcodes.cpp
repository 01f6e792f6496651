#include "ptx/opcodes.hpp"

#include <algorithm>
#include <optional>
#include <string>
#include <utility>

#include "ptx/lexer.hpp"

namespace device_code {
namespace {

template <typename Value>
struct Named {
  std::string_view name;
  Value value;
};

template <typename Value, std::size_t kCount>
std::optional<Value> find(const Named<Value> (&table)[kCount], std::string_view name) {
  const auto found =
      std::find_if(std::begin(table), std::end(table), [&](const auto& one) { return one.name == name; });
  if (found == std::end(table)) return std::nullopt;
  return found->value;
}

constexpr Named<std::pair<Op, Form>> kOpcodes[] = {
    {"abs", {Op::abs_, Form::value}},  // one per line
    {"add", {Op::add, Form::value}},
    {"and", {Op::and_, Form::value}},
    {"atom", {Op::atom, Form::atomic}},
    {"bar", {Op::bar_sync, Form::operands}},
    {"barrier", {Op::bar_sync, Form::operands}},
    {"bfe", {Op::bfe, Form::value}},
    {"bfi", {Op::bfi, Form::value}},
    {"bmsk", {Op::bmsk, Form::value}},
    {"bra", {Op::bra, Form::branch}},
    {"brev", {Op::brev, Form::value}},
    {"call", {Op::call, Form::call}},
    {"clz", {Op::clz, Form::value}},
    {"createpolicy", {Op::createpolicy, Form::value}},
    {"cvt", {Op::cvt, Form::value}},
    {"cvta", {Op::cvta, Form::value}},
    {"div", {Op::div, Form::value}},
    {"dp2a", {Op::dp2a, Form::value}},
    {"dp4a", {Op::dp4a, Form::value}},
    {"ex2", {Op::ex2, Form::value}},
    {"exit", {Op::exit_, Form::none}},
    {"fence", {Op::fence, Form::none}},
    {"fma", {Op::fma, Form::value}},
    {"ld", {Op::ld, Form::load}},
    {"lg2", {Op::lg2, Form::value}},
    {"lop3", {Op::lop3, Form::value}},
    {"mad", {Op::mad, Form::value}},
    {"max", {Op::max, Form::value}},
    {"membar", {Op::fence, Form::none}},
    {"min", {Op::min, Form::value}},
    {"mov", {Op::mov, Form::value}},
    {"mul", {Op::mul, Form::value}},
    {"neg", {Op::neg, Form::value}},
    {"not", {Op::not_, Form::value}},
    {"or", {Op::or_, Form::value}},
    {"popc", {Op::popc, Form::value}},
    {"prmt", {Op::prmt, Form::value}},
    {"rcp", {Op::rcp, Form::value}},
    {"red", {Op::red, Form::reduction}},
    {"rem", {Op::rem, Form::value}},
    {"ret", {Op::ret, Form::none}},
    {"rsqrt", {Op::rsqrt, Form::value}},
    {"selp", {Op::selp, Form::value}},
    {"setp", {Op::setp, Form::pair}},
    {"shf", {Op::shf, Form::value}},
    {"shfl", {Op::shfl, Form::pair}},
    {"shl", {Op::shl, Form::value}},
    {"shr", {Op::shr, Form::value}},
    {"sqrt", {Op::sqrt, Form::value}},
    {"st", {Op::st, Form::store}},
    {"sub", {Op::sub, Form::value}},
    {"trap", {Op::trap, Form::none}},
    {"vote", {Op::vote, Form::value}},
    {"xor", {Op::xor_, Form::value}},
};

constexpr Named<Type> kTypes[] = {
    {"pred", {TypeKind::predicate, 1}},
    {"b8", {TypeKind::bits, 8}},
    {"b16", {TypeKind::bits, 16}},
    {"b32", {TypeKind::bits, 32}},
    {"b64", {TypeKind::bits, 64}},
    {"u8", {TypeKind::unsigned_integer, 8}},
    {"u16", {TypeKind::unsigned_integer, 16}},
    {"u32", {TypeKind::unsigned_integer, 32}},
    {"u64", {TypeKind::unsigned_integer, 64}},
    {"s8", {TypeKind::signed_integer, 8}},
    {"s16", {TypeKind::signed_integer, 16}},
    {"s32", {TypeKind::signed_integer, 32}},
    {"s64", {TypeKind::signed_integer, 64}},
    {"f16", {TypeKind::real, 16}},
    {"f32", {TypeKind::real, 32}},
    {"f64", {TypeKind::real, 64}},
    {"bf16", {TypeKind::bfloat16, 16}},
    {"f16x2", {TypeKind::real_pair, 32}},
    {"bf16x2", {TypeKind::bfloat_pair, 32}},
};

constexpr Named<Space> kSpaces[] = {
    {"global", Space::global},
    {"shared", Space::shared},
    {"local", Space::local},
    {"param", Space::parameter},
};

/// lo, ls, hi and hs compare unsigned numbers.
constexpr Named<Comparison> kComparisons[] = {
    {"eq", Comparison::eq},   {"ne", Comparison::ne},   {"lt", Comparison::lt},   {"le", Comparison::le},
    {"gt", Comparison::gt},   {"ge", Comparison::ge},   {"lo", Comparison::lt},   {"ls", Comparison::le},
    {"hi", Comparison::gt},   {"hs", Comparison::ge},   {"equ", Comparison::equ}, {"neu", Comparison::neu},
    {"ltu", Comparison::ltu}, {"leu", Comparison::leu}, {"gtu", Comparison::gtu}, {"geu", Comparison::geu},
    {"num", Comparison::num}, {"nan", Comparison::nan},
};

constexpr Named<Rounding> kRoundings[] = {
    {"rn", Rounding::nearest},
    {"rz", Rounding::zero},
    {"rm", Rounding::down},
    {"rp", Rounding::up},
    {"rni", Rounding::integer_nearest},
    {"rzi", Rounding::integer_zero},
    {"rmi", Rounding::integer_down},
    {"rpi", Rounding::integer_up},
};

constexpr Named<Part> kParts[] = {{"lo", Part::low}, {"hi", Part::high}, {"wide", Part::wide}};

constexpr Named<Shuffle> kShuffles[] = {
    {"up", Shuffle::up}, {"down", Shuffle::down}, {"bfly", Shuffle::butterfly}, {"idx", Shuffle::index}};

constexpr Named<Atomic> kAtomics[] = {{"add", Atomic::add},
                                      {"exch", Atomic::exchange},
                                      {"min", Atomic::min},
                                      {"max", Atomic::max},
                                      {"cas", Atomic::compare_and_swap},
                                      {"and", Atomic::and_},
                                      {"or", Atomic::or_},
                                      {"xor", Atomic::xor_}};

/// Modifiers that change no value here: cache hints, scopes of fences, and what is true of all code that nvcc makes.
/// "relaxed" and "volatile" of loads and stores are not among them: such accesses do not race with each other, which
/// the race detector does not know.
constexpr std::string_view kWithoutEffect[] = {"sync", "aligned", "uni", "weak",       "acq_rel", "sc",
                                               "gl",   "sys",     "gpu", "fractional", "approx",  "full"};
constexpr std::string_view kCachePrefixes[] = {"L1::", "L2::"};

bool has_no_effect(std::string_view modifier) {
  const auto begins = [&](std::string_view prefix) { return modifier.substr(0, prefix.size()) == prefix; };
  return std::find(std::begin(kWithoutEffect), std::end(kWithoutEffect), modifier) != std::end(kWithoutEffect) ||
         std::any_of(std::begin(kCachePrefixes), std::end(kCachePrefixes), begins);
}

/// Assigns a modifier that only one opcode has.
bool set_special_modifier(std::string_view modifier, Instruction& i) {
  switch (i.op) {
    case Op::fence:
      if (modifier == "cta") return i.is_within_block = true;
      return false;
    case Op::atom:
    case Op::red:
      if (modifier == "cta") return i.is_within_block = true;
      if (modifier == "relaxed") return true;
      if (const auto atomic = find(kAtomics, modifier)) return i.atomic = *atomic, true;
      return false;
    case Op::setp:
      if (const auto comparison = find(kComparisons, modifier)) return i.comparison = *comparison, true;
      return false;
    case Op::shfl:
      if (const auto shuffle = find(kShuffles, modifier)) return i.shuffle = *shuffle, true;
      return false;
    case Op::vote:
      if (modifier == "any" || modifier == "all") return i.votes_all = modifier == "all", true;
      return false;
    case Op::shf:
      if (modifier == "l" || modifier == "r") return i.shifts_right = modifier == "r", true;
      if (modifier == "wrap" || modifier == "clamp") return i.clamps_shift = modifier == "clamp", true;
      return false;
    case Op::bmsk:
      if (modifier == "wrap" || modifier == "clamp") return i.clamps_shift = modifier == "clamp", true;
      return false;
    case Op::cvta:
      if (modifier == "to") return i.to_generic = false, true;
      return false;
    case Op::bar_sync:
      if (modifier == "warp") return i.op = Op::bar_warp_sync, true;
      return false;
    default:
      return false;
  }
}

void set_type(Type type, Instruction& i) {
  if (i.type.kind == TypeKind::none)
    i.type = type;
  else if (i.from_type.kind == TypeKind::none)
    i.from_type = type;
  else
    i.third_type = type;
}

bool set_modifier(std::string_view modifier, Instruction& i, int& vector_length) {
  if (set_special_modifier(modifier, i)) return true;
  if (const auto type = find_type(modifier)) return set_type(*type, i), true;
  if (const auto space = find(kSpaces, modifier)) return i.space = *space, true;
  if (const auto rounding = find(kRoundings, modifier)) return i.rounding = *rounding, true;
  if (const auto part = find(kParts, modifier)) return i.part = *part, true;
  if (modifier == "v2" || modifier == "v4") return vector_length = modifier[1] - '0', true;
  if (modifier == "nc") return i.is_noncoherent = true;
  if (modifier == "sat") return i.saturates = true;
  if (modifier == "ftz") return i.flushes_denormals = true;
  return has_no_effect(modifier);
}

}  // namespace

std::optional<Type> find_type(std::string_view name) { return find(kTypes, name); }

Form decode_opcode(std::string_view word, Instruction& instruction, int& vector_length) {
  const auto next_part = [&] {
    const std::size_t end = word.find('.');
    const std::string_view part = word.substr(0, end);
    word = end == std::string_view::npos ? std::string_view() : word.substr(end + 1);
    return part;
  };
  const std::string_view name = next_part();
  const auto opcode = find(kOpcodes, name);
  if (!opcode) fail_at(instruction.ptx_line, "unknown opcode \"" + std::string(name) + "\"");
  instruction.op = opcode->first;
  vector_length = 1;
  while (!word.empty()) {
    const std::string_view modifier = next_part();
    if (!set_modifier(modifier, instruction, vector_length)) {
      fail_at(instruction.ptx_line,
              "unknown modifier \"" + std::string(modifier) + "\" of \"" + std::string(name) + "\"");
    }
  }
  return opcode->second;
}

}  // namespace device_code
