// Switches between stacks within one thread without system calls. swapcontext() would make two, to save signal masks.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace cuda_shim {

/// A flow of control that is not running.
struct Context {
#if defined(__x86_64__) || defined(__aarch64__)
  void* stack_pointer = nullptr;  ///< the registers that a call preserves are at the top of the stack
#else
  ucontext_t registers{};
#endif
};

/// Prepares `context` to start in `entry`, which must never return, on the stack of `bytes` bytes at `stack`.
void make_context(Context& context, std::byte* stack, std::size_t bytes, void (*entry)());

/// Saves the running flow of control in `from` and continues with `to`.
void switch_context(Context& from, Context& to);

}  // namespace cuda_shim
