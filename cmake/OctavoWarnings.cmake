# octavo_target_flags(target): the language level, warnings and floating-point rules for all our targets.
#
# -ffp-contract=off: the compiler must not fuse a multiplication and an addition. Every fused operation is written as
# fmaf, so that all backends and all targets give the same bits (docs/numerics.md).
function(octavo_target_flags target)
  target_compile_features(${target} PUBLIC cxx_std_20)
  target_compile_options(${target} PRIVATE
    $<$<COMPILE_LANGUAGE:CXX>:-ffp-contract=off -Wall -Wextra -Wpedantic -Wshadow -Wconversion -Wno-sign-conversion
      -Wnon-virtual-dtor -Woverloaded-virtual -Wvla>
    $<$<AND:$<BOOL:${OCTAVO_WARNINGS_AS_ERRORS}>,$<COMPILE_LANGUAGE:CXX>>:-Werror>)
  target_compile_options(${target} PRIVATE ${OCTAVO_SANITIZE_FLAGS})
  target_link_options(${target} PRIVATE ${OCTAVO_SANITIZE_FLAGS})
  # GCC 12 falsely reports overlapping copies in std::string's operator+ (GCC bug 105651).
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANG_AND_ID:CXX,GNU>:-Wno-restrict>)
  # Messages show source paths relative to the project, wherever it was built.
  target_compile_options(${target} PRIVATE $<$<COMPILE_LANGUAGE:CXX>:-fmacro-prefix-map=${PROJECT_SOURCE_DIR}/=>)
endfunction()
