// The macro that compiles a function for both the host and the device.
#pragma once

#if defined(__CUDACC__)
#define OCTAVO_HOST_DEVICE __host__ __device__
#else
#define OCTAVO_HOST_DEVICE
#endif
