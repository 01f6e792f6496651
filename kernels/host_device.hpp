// Macros for functions that are compiled for both the host and the device.
#pragma once

#if defined(__CUDACC__)
#define OCTAVO_HOST_DEVICE __host__ __device__
/// Keeps a long function out of a kernel's registers.
#define OCTAVO_NO_INLINE __noinline__
#else
#define OCTAVO_HOST_DEVICE
#define OCTAVO_NO_INLINE
#endif
