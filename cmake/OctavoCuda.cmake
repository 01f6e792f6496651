# Decides whether to build the CUDA backend: sets OCTAVO_HAS_CUDA, enables the language and finds CUDAToolkit.
#
# Code that calls the CUDA runtime links OCTAVO_CUDART. With OCTAVO_FAKE_CUDA, it is the runtime of tests/cuda_runtime,
# which needs NVIDIA's headers but neither its compiler nor a GPU.
include(OctavoCudaArchitectures)
set(OCTAVO_HAS_CUDA OFF)
set(OCTAVO_CUDART CUDA::cudart_static)
if(OCTAVO_FAKE_CUDA)
  find_package(CUDAToolkit 12.4 REQUIRED)
  set(OCTAVO_HAS_CUDA ON)
  set(OCTAVO_CUDART octavo_fake_cuda)
elseif(NOT OCTAVO_CUDA STREQUAL "OFF")
  include(CheckLanguage)
  if(NOT CMAKE_CUDA_COMPILER AND EXISTS /usr/local/cuda/bin/nvcc)
    set(CMAKE_CUDA_COMPILER /usr/local/cuda/bin/nvcc)
  endif()
  check_language(CUDA)
  # Before the language is enabled: CMake would choose a single architecture itself, and stop at an unknown one.
  if(CMAKE_CUDA_COMPILER)
    octavo_known_architectures(OCTAVO_KNOWN_ARCHITECTURES ${CMAKE_CUDA_COMPILER})
    if(NOT DEFINED CMAKE_CUDA_ARCHITECTURES)
      set(architectures $ENV{CUDAARCHS})
      if(NOT architectures)
        octavo_choose_architectures(architectures "${OCTAVO_KNOWN_ARCHITECTURES}")
      endif()
      set(CMAKE_CUDA_ARCHITECTURES ${architectures} CACHE STRING "CUDA architectures to compile for")
    endif()
    octavo_unknown_architectures(unknown_architectures "${OCTAVO_KNOWN_ARCHITECTURES}" ${CMAKE_CUDA_ARCHITECTURES})
    if(unknown_architectures)
      list(JOIN unknown_architectures ", " unknown_architectures)
      string(CONCAT architecture_problem
        "compile for CUDA architecture ${unknown_architectures}: ${CMAKE_CUDA_COMPILER} does not support it; "
        "change CMAKE_CUDA_ARCHITECTURES, or use another CUDA toolkit")
      if(OCTAVO_CUDA STREQUAL "ON")
        message(FATAL_ERROR "${architecture_problem}")
      endif()
      message(WARNING "${architecture_problem}. The CUDA backend is not built.")
    endif()
  endif()
  if(CMAKE_CUDA_COMPILER AND NOT unknown_architectures)
    enable_language(CUDA)
    find_package(CUDAToolkit 12.4)
    if(CUDAToolkit_FOUND)
      set(OCTAVO_HAS_CUDA ON)
    endif()
  endif()
  if(OCTAVO_CUDA STREQUAL "ON" AND NOT OCTAVO_HAS_CUDA)
    message(FATAL_ERROR "OCTAVO_CUDA=ON, but no CUDA toolkit of version 12.4 or newer was found; "
      "put nvcc on the PATH, or configure with -DOCTAVO_CUDA=OFF")
  endif()
endif()
message(STATUS "CUDA backend: ${OCTAVO_HAS_CUDA} (OCTAVO_CUDA=${OCTAVO_CUDA}, OCTAVO_FAKE_CUDA=${OCTAVO_FAKE_CUDA})")

# octavo_cuda_flags(target): CMake 3.25 does not support C++20 with nvcc 13, so the flag is explicit. --fmad=false is
# -ffp-contract=off for device code.
function(octavo_cuda_flags target)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CUDA>:-std=c++20 --fmad=false --expt-relaxed-constexpr -Xcompiler=-Wall,-Wextra,-ffp-contract=off>
    $<$<AND:$<BOOL:${OCTAVO_WARNINGS_AS_ERRORS}>,$<COMPILE_LANGUAGE:CUDA>>:--Werror=all-warnings>)
endfunction()

# octavo_compile_cuda_for_host(SOURCES... [OPTIONS...]): compiles CUDA sources as C++, with the device side of CUDA from
# the header tests/kernels/shim/cuda_runtime.h. Launch bounds and `#pragma unroll` mean nothing there.
function(octavo_compile_cuda_for_host)
  cmake_parse_arguments(arg "" "" "OPTIONS" ${ARGN})
  set(clang_options -Wno-pass-failed -Wno-unused-const-variable)
  set_source_files_properties(${arg_UNPARSED_ARGUMENTS} PROPERTIES LANGUAGE CXX COMPILE_OPTIONS
    "-Wno-unknown-pragmas;$<$<CXX_COMPILER_ID:Clang>:${clang_options}>;${arg_OPTIONS}")
endfunction()

# octavo_add_cuda_sources(target SOURCES...): adds CUDA sources to a library, if there is a CUDA backend. The global
# property OCTAVO_CUDA_SOURCES lists them in every build: the tests compile them, too.
function(octavo_add_cuda_sources target)
  list(TRANSFORM ARGN PREPEND ${CMAKE_CURRENT_SOURCE_DIR}/ OUTPUT_VARIABLE sources)
  set_property(GLOBAL APPEND PROPERTY OCTAVO_CUDA_SOURCES ${sources})
  if(NOT OCTAVO_HAS_CUDA)
    return()
  endif()
  target_sources(${target} PRIVATE ${sources})
  target_link_libraries(${target} PUBLIC ${OCTAVO_CUDART})
  if(OCTAVO_FAKE_CUDA)
    octavo_compile_cuda_for_host(${sources})
    target_include_directories(${target} BEFORE PRIVATE ${PROJECT_SOURCE_DIR}/tests/kernels/shim)
  else()
    octavo_cuda_flags(${target})
  endif()
endfunction()
