// Switching between stacks within one thread, without system calls: swapcontext makes two of them to save signal masks.
#pragma once

#include <cstddef>

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

namespace cuda_shim {

/// A flow of control that is not running.
struct Context {
#if defined(__x86_64__) || defined(__aarch64__)
  void* stack_pointer = nullptr;  ///< below it, what a call preserves
#else
  ucontext_t registers{};
#endif
};

/// `context` begins in `entry`, which never returns, on the `bytes` bytes at `stack`.
void make_context(Context& context, std::byte* stack, std::size_t bytes, void (*entry)());

/// Saves the running flow of control in `from` and goes on with `to`.
void switch_context(Context& from, Context& to);

}  // namespace cuda_shim
