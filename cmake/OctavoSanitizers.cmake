# Turns OCTAVO_SANITIZE=address,undefined into compiler and linker flags for all our targets.
set(OCTAVO_SANITIZE_FLAGS "")
if(OCTAVO_SANITIZE)
  set(OCTAVO_SANITIZE_FLAGS -fsanitize=${OCTAVO_SANITIZE} -fno-omit-frame-pointer)
  if(OCTAVO_SANITIZE MATCHES undefined)
    list(APPEND OCTAVO_SANITIZE_FLAGS -fno-sanitize-recover=all)
    # These checks take a quarter of the compile time. A null pointer is a fault anyway, AddressSanitizer sees what
    # object-size and pointer-overflow could, and no pointer to a class is cast downwards.
    list(APPEND OCTAVO_SANITIZE_FLAGS -fno-sanitize=null,object-size,pointer-overflow,vptr)
  endif()
  # The macros that GCC defines. Clang 14 has only its own way to ask.
  if(CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    foreach(sanitizer ADDRESS THREAD)
      string(TOLOWER ${sanitizer} name)
      if(OCTAVO_SANITIZE MATCHES ${name})
        list(APPEND OCTAVO_SANITIZE_FLAGS -D__SANITIZE_${sanitizer}__=1)
      endif()
    endforeach()
  endif()
endif()
# OCTAVO_FUZZ adds the coverage counters that guide libFuzzer; its main() is linked into the targets of tests/fuzz/.
if(OCTAVO_FUZZ)
  if(NOT CMAKE_CXX_COMPILER_ID STREQUAL Clang)
    message(FATAL_ERROR "OCTAVO_FUZZ requires Clang for libFuzzer; use the preset fuzz, or run tools/fuzz.sh")
  endif()
  list(APPEND OCTAVO_SANITIZE_FLAGS -fsanitize=fuzzer-no-link)
endif()
