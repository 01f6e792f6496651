#include "context_switch.hpp"

#include <cstdint>
#include <cstring>

#if defined(__x86_64__)

// The System V ABI: a callee preserves rbx, rbp and r12 to r15. It also preserves the floating-point modes, but those
// are the same in all fibers.
asm(R"(
.pushsection .text
.local cuda_shim_switch
.type cuda_shim_switch, @function
cuda_shim_switch:
  pushq %rbp
  pushq %rbx
  pushq %r12
  pushq %r13
  pushq %r14
  pushq %r15
  movq %rsp, (%rdi)
  movq %rsi, %rsp
  popq %r15
  popq %r14
  popq %r13
  popq %r12
  popq %rbx
  popq %rbp
  ret
.size cuda_shim_switch, .-cuda_shim_switch
.popsection
)");

#elif defined(__aarch64__)

// AAPCS64: a callee preserves x19 to x28, the frame pointer x29, the return address x30, and d8 to d15.
asm(R"(
.pushsection .text
.local cuda_shim_switch
.type cuda_shim_switch, %function
cuda_shim_switch:
  sub sp, sp, #160
  stp x19, x20, [sp, #0]
  stp x21, x22, [sp, #16]
  stp x23, x24, [sp, #32]
  stp x25, x26, [sp, #48]
  stp x27, x28, [sp, #64]
  stp x29, x30, [sp, #80]
  stp d8, d9, [sp, #96]
  stp d10, d11, [sp, #112]
  stp d12, d13, [sp, #128]
  stp d14, d15, [sp, #144]
  mov x9, sp
  str x9, [x0]
  mov sp, x1
  ldp x19, x20, [sp, #0]
  ldp x21, x22, [sp, #16]
  ldp x23, x24, [sp, #32]
  ldp x25, x26, [sp, #48]
  ldp x27, x28, [sp, #64]
  ldp x29, x30, [sp, #80]
  ldp d8, d9, [sp, #96]
  ldp d10, d11, [sp, #112]
  ldp d12, d13, [sp, #128]
  ldp d14, d15, [sp, #144]
  add sp, sp, #160
  ret
.size cuda_shim_switch, .-cuda_shim_switch
.popsection
)");

#endif

namespace cuda_shim {

#if defined(__x86_64__) || defined(__aarch64__)

/// Pushes the registers that a call preserves, saves the stack pointer in *from, and restores both from `to`.
extern "C" void cuda_shim_switch(void** from, void* to);

void make_context(Context& context, std::byte* stack, std::size_t bytes, void (*entry)()) {
  const std::uintptr_t top = (reinterpret_cast<std::uintptr_t>(stack) + bytes) / 16 * 16;
#if defined(__x86_64__)
  // From low to high addresses: six registers, the return address for `ret`, and one word of padding, so that `entry`
  // starts as if called, with the stack pointer 8 below a multiple of 16.
  constexpr std::size_t kWords = 8, kEntry = 6;
#else
  constexpr std::size_t kWords = 20, kEntry = 11;  // x30
#endif
  std::uintptr_t words[kWords] = {};
  words[kEntry] = reinterpret_cast<std::uintptr_t>(entry);
  context.stack_pointer = reinterpret_cast<void*>(top - sizeof words);
  std::memcpy(context.stack_pointer, words, sizeof words);
}

void switch_context(Context& from, Context& to) { cuda_shim_switch(&from.stack_pointer, to.stack_pointer); }

#else

void make_context(Context& context, std::byte* stack, std::size_t bytes, void (*entry)()) {
  getcontext(&context.registers);
  context.registers.uc_stack.ss_sp = stack;
  context.registers.uc_stack.ss_size = bytes;
  context.registers.uc_link = nullptr;
  makecontext(&context.registers, entry, 0);
}

void switch_context(Context& from, Context& to) { swapcontext(&from.registers, &to.registers); }

#endif

}  // namespace cuda_shim
