# octavo_highway_flags(target): for a library whose CPU loops use Highway.
function(octavo_highway_flags target)
  target_link_libraries(${target} PRIVATE octavo_deps::highway)
  # Highway compiles each file once per instruction set, which does not work with unity builds.
  set_target_properties(${target} PROPERTIES UNITY_BUILD OFF)
  # Vectors of unknown length cannot be stored in arrays, so these processors use their fixed-length instructions.
  target_compile_definitions(${target} PRIVATE "HWY_DISABLED_TARGETS=(HWY_SVE|HWY_SVE2|HWY_SVE_256|HWY_SVE2_128)")
  # Without vector instructions, our scalar loops run, not Highway's emulation of vectors. It is slower, and Clang takes
  # 70 s to compile it with sanitizers. Highway itself does this for GCC.
  target_compile_definitions(${target} PRIVATE HWY_BROKEN_EMU128=1)
endfunction()
