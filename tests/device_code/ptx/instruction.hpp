// PTX instructions as data: opcodes, types, modifiers, and operands resolved to registers, offsets and constants.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace device_code {

using u8 = std::uint8_t;
using u16 = std::uint16_t;
using u32 = std::uint32_t;
using u64 = std::uint64_t;
using i32 = std::int32_t;
using i64 = std::int64_t;

/// The lowest `bits` bits.
constexpr u64 low_bits(unsigned bits) { return bits >= 64 ? ~u64{0} : (u64{1} << bits) - 1; }

enum class Op : u8 {
  abs_,
  add,
  and_,
  atom,
  bar_sync,
  bar_warp_sync,
  bfe,
  bfi,
  bmsk,
  bra,
  brev,
  call,
  clz,
  createpolicy,
  cvt,
  cvta,
  div,
  dp2a,
  dp4a,
  ex2,
  exit_,
  fence,
  fma,
  ld,
  lg2,
  lop3,
  mad,
  max,
  min,
  mov,
  mul,
  neg,
  not_,
  or_,
  popc,
  prmt,
  rcp,
  red,
  rem,
  ret,
  rsqrt,
  selp,
  setp,
  shf,
  shfl,
  shl,
  shr,
  sqrt,
  st,
  sub,
  trap,
  vote,
  xor_
};

enum class TypeKind : u8 {
  none,
  predicate,
  bits,
  unsigned_integer,
  signed_integer,
  real,
  bfloat16,
  real_pair,    ///< f16x2
  bfloat_pair,  ///< bf16x2
};

struct Type {
  TypeKind kind = TypeKind::none;
  u8 bits = 0;

  u32 bytes() const { return bits / 8u; }
  u64 mask() const { return low_bits(bits); }
  bool is_signed() const { return kind == TypeKind::signed_integer; }
  bool is_real() const { return kind == TypeKind::real; }
  bool is_integer() const {
    return kind == TypeKind::bits || kind == TypeKind::unsigned_integer || kind == TypeKind::signed_integer;
  }
  bool is_pair() const { return kind == TypeKind::real_pair || kind == TypeKind::bfloat_pair; }
  bool operator==(const Type&) const = default;
};

enum class Space : u8 { generic, global, shared, local, parameter };
enum class Comparison : u8 { eq, ne, lt, le, gt, ge, equ, neu, ltu, leu, gtu, geu, num, nan };
enum class Rounding : u8 { none, nearest, zero, down, up, integer_nearest, integer_zero, integer_down, integer_up };
/// The part of a product, or the bytes of dp2a.
enum class Part : u8 { none, low, high, wide };
enum class Shuffle : u8 { none, up, down, butterfly, index };
enum class Atomic : u8 { none, add, exchange, min, max, compare_and_swap, and_, or_, xor_ };

/// A value that PTX names: %tid.x and others.
enum class Special : u8 {
  tid_x,
  tid_y,
  tid_z,
  ntid_x,
  ntid_y,
  ntid_z,
  ctaid_x,
  ctaid_y,
  ctaid_z,
  nctaid_x,
  nctaid_y,
  nctaid_z,
  laneid,
  warpid
};

struct Operand {
  enum class Kind : u8 {
    none,
    reg,        ///< `value` is its number in the function
    constant,   ///< `value` has its bits
    special,    ///< `value` is a Special
    local,      ///< `value` is an offset in the function's local memory
    frame,      ///< `value` is an offset in the function's frame of call parameters
    discarded,  ///< _
  };
  Kind kind = Kind::none;
  u64 value = 0;
};

/// A line of the source, and the line of the call that it was inlined into; 0: unknown.
struct SourceLine {
  int file = 0, line = 0;
  int caller_file = 0, caller_line = 0;
};

struct Function;

struct Instruction {
  Op op = Op::ret;
  Type type, from_type, third_type;
  Space space = Space::generic;
  Comparison comparison = Comparison::eq;
  Rounding rounding = Rounding::none;
  Part part = Part::none;
  Shuffle shuffle = Shuffle::none;
  Atomic atomic = Atomic::none;
  bool is_noncoherent = false;  ///< ld.global.nc
  bool saturates = false;
  bool votes_all = false;  ///< of vote: .all, else .any
  bool flushes_denormals = false;
  bool shifts_right = false, clamps_shift = false;  ///< of shf; of bmsk also clamps_shift
  bool to_generic = true;                           ///< of cvta
  bool is_within_block = false;                     ///< a fence or an atomic of scope .cta
  int guard = -1;                                   ///< a predicate register
  bool is_guard_negated = false;
  std::vector<Operand> to, from;  ///< vectors are flattened; the address of a memory access is from[0]
  i64 address_offset = 0;
  int target = -1;  ///< of a branch: an index in Function::code
  const Function* callee = nullptr;
  std::vector<u64> arguments;  ///< of a call: offsets in the caller's frame
  i64 result = -1;             ///< of a call: offset in the caller's frame
  int ptx_line = 0;
  SourceLine source;
  const Function* function = nullptr;
  std::string text;
};

}  // namespace device_code
