// Loads and stores with cache hints. Each has a host version that moves the same bytes.
#pragma once

#include <cassert>
#include <cstdint>
#include <cstring>

#include "kernels/host_device.hpp"

namespace octavo::kernels {

/// kBytes bytes, aligned to kBytes, that one instruction loads or stores.
template <int kBytes>
struct alignas(kBytes) Words {
  std::uint32_t words[kBytes / 4];
};

/// Which lines the L2 cache evicts first.
enum class L2Priority { normal, evict_first, evict_last };

/// How a gather uses the L2 cache. Affects only speed.
struct CachePolicies {
  L2Priority codes;
  L2Priority values;
};

/// Chooses policies for a store of `stored_bytes` and a batch of `output_bytes`, given an L2 cache of `l2_bytes`.
///
/// A row of a large store is read once per epoch. Its lines are evicted first, so that they do not displace data that
/// is read again. A store of at most half the cache stays cached and leaves the other half to the work on its batches.
/// A batch larger than the cache would displace its own beginning before it is read; a smaller one stays for its
/// reader.
inline CachePolicies cache_policies(std::int64_t stored_bytes, std::int64_t output_bytes, std::int64_t l2_bytes) {
  return {stored_bytes <= l2_bytes / 2 ? L2Priority::evict_last : L2Priority::evict_first,
          output_bytes > l2_bytes ? L2Priority::evict_first : L2Priority::normal};
}

/// An L2Priority in the form of device instructions. Has no effect below compute capability 8.0.
class L2Policy {
 public:
  OCTAVO_HOST_DEVICE explicit L2Policy(L2Priority priority);

  // If not `wanted`, these functions do nothing, without a branch, and the loaded value is unspecified.

  /// Reads memory that does not change while the kernel runs. Bypasses the L1 cache: for lines that a warp
  /// uses completely.
  template <int kBytes>
  OCTAVO_HOST_DEVICE Words<kBytes> load_once(bool wanted, const void* from) const;

  /// The same for one word, but keeps it in the L1 cache: for words that two lanes load.
  OCTAVO_HOST_DEVICE std::uint32_t load_word(bool wanted, const void* from) const;
  /// The same for a word, which is always wanted, and the next one, which is wanted if `next_wanted` is not 0.
  OCTAVO_HOST_DEVICE void load_words(std::uint32_t next_wanted, const void* from, std::uint32_t& word,
                                     std::uint32_t& next) const;

  template <int kBytes>
  OCTAVO_HOST_DEVICE void store(bool wanted, void* to, const Words<kBytes>& words) const;

 private:
#if defined(__CUDA_ARCH__)
  std::uint64_t policy_;
#endif
};

#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800

__device__ inline L2Policy::L2Policy(L2Priority priority) {
  if (priority == L2Priority::evict_last)
    asm("createpolicy.fractional.L2::evict_last.b64 %0, 1.0;" : "=l"(policy_));
  else if (priority == L2Priority::evict_first)
    asm("createpolicy.fractional.L2::evict_first.b64 %0, 1.0;" : "=l"(policy_));
  else
    asm("createpolicy.fractional.L2::evict_normal.b64 %0, 1.0;" : "=l"(policy_));
}

// `volatile` keeps loads before later stores.
template <int kBytes>
__device__ inline Words<kBytes> L2Policy::load_once(bool wanted, const void* from) const {
  Words<kBytes> to;
  if constexpr (kBytes == 4) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.global.nc.L1::no_allocate.L2::cache_hint.b32 %0, [%2], %3; }"
        : "=r"(to.words[0])
        : "r"(static_cast<int>(wanted)), "l"(from), "l"(policy_));
  } else if constexpr (kBytes == 8) {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %2, 0;"
        " @p ld.global.nc.L1::no_allocate.L2::cache_hint.v2.b32 {%0, %1}, [%3], %4; }"
        : "=r"(to.words[0]), "=r"(to.words[1])
        : "r"(static_cast<int>(wanted)), "l"(from), "l"(policy_));
  } else {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %4, 0;"
        " @p ld.global.nc.L1::no_allocate.L2::cache_hint.v4.b32 {%0, %1, %2, %3}, [%5], %6; }"
        : "=r"(to.words[0]), "=r"(to.words[1]), "=r"(to.words[2]), "=r"(to.words[3])
        : "r"(static_cast<int>(wanted)), "l"(from), "l"(policy_));
  }
  return to;
}

__device__ inline std::uint32_t L2Policy::load_word(bool wanted, const void* from) const {
  std::uint32_t word;
  asm volatile("{ .reg .pred p; setp.ne.b32 p, %1, 0; @p ld.global.nc.L2::cache_hint.b32 %0, [%2], %3; }"
               : "=r"(word)
               : "r"(static_cast<int>(wanted)), "l"(from), "l"(policy_));
  return word;
}

__device__ inline void L2Policy::load_words(std::uint32_t next_wanted, const void* from, std::uint32_t& word,
                                            std::uint32_t& next) const {
  asm volatile(
      "{ .reg .pred p; setp.ne.b32 p, %2, 0; ld.global.nc.L2::cache_hint.b32 %0, [%3], %4;"
      " @p ld.global.nc.L2::cache_hint.b32 %1, [%3+4], %4; }"
      : "=&r"(word), "=r"(next)
      : "r"(next_wanted), "l"(from), "l"(policy_));
}

template <int kBytes>
__device__ inline void L2Policy::store(bool wanted, void* to, const Words<kBytes>& words) const {
  if constexpr (kBytes == 4) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global.L2::cache_hint.b32 [%1], %2, %3; }" ::"r"(
                     static_cast<int>(wanted)),
                 "l"(to), "r"(words.words[0]), "l"(policy_)
                 : "memory");
  } else if constexpr (kBytes == 8) {
    asm volatile("{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global.L2::cache_hint.v2.b32 [%1], {%2, %3}, %4; }" ::"r"(
                     static_cast<int>(wanted)),
                 "l"(to), "r"(words.words[0]), "r"(words.words[1]), "l"(policy_)
                 : "memory");
  } else {
    asm volatile(
        "{ .reg .pred p; setp.ne.b32 p, %0, 0; @p st.global.L2::cache_hint.v4.b32 [%1], {%2, %3, %4, %5}, %6; }" ::"r"(
            static_cast<int>(wanted)),
        "l"(to), "r"(words.words[0]), "r"(words.words[1]), "r"(words.words[2]), "r"(words.words[3]), "l"(policy_)
        : "memory");
  }
}

#elif defined(__CUDA_ARCH__)

__device__ inline L2Policy::L2Policy(L2Priority) : policy_(0) {}

template <int kBytes>
__device__ inline Words<kBytes> L2Policy::load_once(bool wanted, const void* from) const {
  Words<kBytes> words{};  // no undefined value reaches what computes with it
  if (wanted) words = *static_cast<const Words<kBytes>*>(from);
  return words;
}

__device__ inline std::uint32_t L2Policy::load_word(bool wanted, const void* from) const {
  return load_once<4>(wanted, from).words[0];
}

__device__ inline void L2Policy::load_words(std::uint32_t next_wanted, const void* from, std::uint32_t& word,
                                            std::uint32_t& next) const {
  word = load_word(true, from);
  next = load_word(next_wanted != 0, static_cast<const std::uint32_t*>(from) + 1);
}

template <int kBytes>
__device__ inline void L2Policy::store(bool wanted, void* to, const Words<kBytes>& words) const {
  if (wanted) *static_cast<Words<kBytes>*>(to) = words;
}

#else

inline L2Policy::L2Policy(L2Priority) {}

template <int kBytes>
OCTAVO_HOST_DEVICE inline Words<kBytes> L2Policy::load_once(bool wanted, const void* from) const {
  Words<kBytes> words{};
  if (!wanted) return words;
  assert(reinterpret_cast<std::uintptr_t>(from) % kBytes == 0);
  std::memcpy(&words, from, kBytes);
  return words;
}

OCTAVO_HOST_DEVICE inline std::uint32_t L2Policy::load_word(bool wanted, const void* from) const {
  return load_once<4>(wanted, from).words[0];
}

OCTAVO_HOST_DEVICE inline void L2Policy::load_words(std::uint32_t next_wanted, const void* from, std::uint32_t& word,
                                                    std::uint32_t& next) const {
  word = load_word(true, from);
  next = load_word(next_wanted != 0, static_cast<const std::uint32_t*>(from) + 1);
}

template <int kBytes>
OCTAVO_HOST_DEVICE inline void L2Policy::store(bool wanted, void* to, const Words<kBytes>& words) const {
  if (!wanted) return;
  assert(reinterpret_cast<std::uintptr_t>(to) % kBytes == 0);
  std::memcpy(to, &words, kBytes);
}

#endif

}  // namespace octavo::kernels
