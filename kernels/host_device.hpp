// The one macro that lets a function body be compiled for the host and for the device.
#pragma once

#if defined(__CUDACC__)
#define OCTAVO_HOST_DEVICE __host__ __device__
#else
#define OCTAVO_HOST_DEVICE
#endif
