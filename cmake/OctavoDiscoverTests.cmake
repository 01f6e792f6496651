# octavo_discover_tests(target timeout): after the build, makes each Catch2 test case of an executable a ctest test.
#
# Catch2's own module differs between its versions 2 and 3 and cannot count skipped tests in version 2; this asks the
# executable for its test names, as both do, and lets ctest count the line "SKIPPED:" as a skip.
# Test cases tagged [large] get the label `large`. Those tagged [cuda] get `cuda`; ctest never runs two of them at a
# time. Those tagged [plain-only] get `plain-only`: sanitizers have nothing to find in them, because they test numbers,
# texts or programs that are killed. The environment variable OCTAVO_TEST_TIMEOUT (in seconds) lowers the limit of
# every test.
function(octavo_discover_tests target timeout)
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    BYPRODUCTS ${list_file}
    COMMAND ${CMAKE_COMMAND} -D executable=$<TARGET_FILE:${target}> -D list_file=${list_file} -D prefix=${target} -D timeout=${timeout}
      -P ${PROJECT_SOURCE_DIR}/cmake/OctavoListTests.cmake
    VERBATIM)
  # A separate file for each target: a target that is not built has no list, and shows as a failing test.
  set(include_file ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  file(WRITE ${include_file}
    "if(EXISTS [==[${list_file}]==])\n  include([==[${list_file}]==])\nelse()\n  add_test([==[${target} is not built]==] not-built)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include_file})
endfunction()
