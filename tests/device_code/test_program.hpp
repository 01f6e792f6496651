// Small kernels in PTX for the tests of the interpreter: buffers of exact size, results and faults.
#pragma once

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "checks/global_memory.hpp"
#include "machine/machine.hpp"
#include "ptx/module.hpp"

namespace device_code {

/// An object in global memory: 32-bit words.
class TestBuffer {
 public:
  explicit TestBuffer(std::vector<u32> values);

  u32 operator[](std::size_t word) const { return words_[word]; }
  const std::vector<u32>& words() const { return words_; }
  std::vector<u64> double_words() const;
  MemoryObject& object() { return object_; }
  /// Follows undefined bits from now on; those of `undefined`, as many words, are so at first.
  void track(const std::vector<u32>& undefined);
  /// By double words. Requires track().
  std::vector<u64> undefined_bits() const;

 private:
  std::vector<u64> double_words_at(const void* begin) const;

  std::vector<u32> words_;
  MemoryObject object_;
};

struct Shape {
  Dimensions grid{1, 1, 1}, block{32, 1, 1};
};

/// A kernel with three buffers. Its body can use
///   %a, %b, %c             the addresses of the buffers
///   %thread, %lane         the number of the thread in the grid and of its lane
///   %mine                  the address of the thread's word of buffer a
///   %p<10>, %rs<10>, %r<10>, %rd<10>, %f<10>, %fd<10>, %rb<10>
///                          registers of 1, 16, 32, 64, 32, 64 and 16 bits
class TestProgram : private GlobalMemory {
 public:
  /// `functions` is PTX before the kernel; it has the functions that the body calls. Throws std::runtime_error.
  explicit TestProgram(std::string_view body, std::string_view functions = {});

  /// Runs the kernel. Throws std::runtime_error for what the machine does not know.
  void run(const Shape& shape = {});
  /// The names of the faults found so far, sorted and separated by commas; empty if there are none.
  std::string faults() const;

  TestBuffer a{std::vector<u32>(128, 0)}, b{std::vector<u32>(128, 0)}, c{std::vector<u32>(128, 0)};
  Machine machine;

 private:
  MemoryObject* find(u64 address) override;

  std::unique_ptr<Module> module_;
};

/// The PTX of the module that a TestProgram runs. The body begins at line 1 of the file "test.cu".
std::string test_module(std::string_view body, std::string_view functions = {});

/// Ways to run a kernel: lanes together, and several random orders with one or more blocks at a time.
std::vector<MachineOptions> all_orders();

/// The faults of a kernel that runs in the default order.
std::string faults_of(std::string_view body, const Shape& shape = {}, std::string_view functions = {});
/// The faults of a kernel that finds the same ones in each order; otherwise the faults of each order.
std::string faults_in_all_orders(std::string_view body, const Shape& shape = {}, std::string_view functions = {});
/// Whether a kernel has a race, in each order. Its kind depends on the order. Throws std::logic_error if only some
/// orders find one, or if there is another fault.
bool has_race(std::string_view body, const Shape& shape = {});

/// What one instruction computes.
struct Computed {
  u64 value = 0, undefined = 0;
  std::string faults;
};

/// Computes the 0th register of some type from operands 1, 2 and so on: of "add.s32 %r0, %r1, %r2" and {5, 7}, 12.
/// Operand k is in all of %rs<k>, %r<k>, %rd<k>, %f<k>, %fd<k> and %rb<k>, and %p<k> is whether it is not 0.
/// `undefined_bits` are those of the operands. A full warp and a part of one compute it, and must agree.
Computed computed_by(std::string_view instruction, const std::vector<u64>& operands,
                     const std::vector<u64>& undefined_bits = {});
/// Its value. Throws std::runtime_error if there is a fault.
u64 result_of(std::string_view instruction, const std::vector<u64>& operands);
/// Its undefined bits, or 1 for a predicate. Throws std::runtime_error if there is another fault.
u64 undefined_bits_of(std::string_view instruction, const std::vector<u64>& operands,
                      const std::vector<u64>& undefined_bits);

/// The bits of a float or double.
u64 bits(float value);
u64 bits(double value);

}  // namespace device_code
