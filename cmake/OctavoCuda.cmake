# Decides whether the CUDA back end is built: OCTAVO_HAS_CUDA, with the language switched on and CUDAToolkit found.
set(OCTAVO_HAS_CUDA OFF)
if(NOT OCTAVO_CUDA STREQUAL "OFF")
  # Named before the language is enabled, so that CMake does not choose one architecture of its own.
  # 7.5 is the oldest that CUDA 13 knows; code for one minor version runs on the later ones of its major version, and
  # the PTX of the last one is kept for chips that are newer than this toolkit.
  if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
    set(CMAKE_CUDA_ARCHITECTURES 75-real 80-real 86-real 89-real 90-real 100-real 120 CACHE STRING
      "CUDA architectures to compile for")
  endif()
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  check_language(CUDA)
  if(CMAKE_CUDA_COMPILER)
    enable_language(CUDA)
    find_package(CUDAToolkit 12.4)
    if(CUDAToolkit_FOUND AND TARGET CUDA::cublas)
      set(OCTAVO_HAS_CUDA ON)
    endif()
  endif()
  if(OCTAVO_CUDA STREQUAL "ON" AND NOT OCTAVO_HAS_CUDA)
    message(FATAL_ERROR "OCTAVO_CUDA=ON, but no CUDA toolkit of version 12.4 or newer with cuBLAS was found; "
      "put nvcc on the PATH, or configure with -DOCTAVO_CUDA=OFF")
  endif()
endif()
message(STATUS "CUDA back end: ${OCTAVO_HAS_CUDA} (OCTAVO_CUDA=${OCTAVO_CUDA})")

# octavo_cuda_flags(target): CMake 3.25 does not know C++20 for nvcc 13, so the flag is spelled out. --fmad=false is
# -ffp-contract=off for device code.
function(octavo_cuda_flags target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --fmad=false --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-ffp-contract=off>
    $<$<AND:$<BOOL:${OCTAVO_WARNINGS_AS_ERRORS}>,$<COMPILE_LANGUAGE:CUDA>>:--Werror=all-warnings>)
endfunction()
