# octavo_discover_tests(target timeout): makes each Catch2 test case of an executable a ctest test when it has been built.
#
# Catch2's own module differs between its versions 2 and 3 and cannot count skipped tests in version 2; this asks the
# executable for its test names, as both do, and lets ctest count the line "SKIPPED:" as a skip.
# Test cases tagged [large] are labeled `large`; those tagged [cuda] `cuda`, and ctest never runs two of these at a time;
# those tagged [plain-only] `plain-only`: they have nothing for sanitizers to find, because they test numbers or texts, or
# programs that are killed. The environment variable OCTAVO_TEST_TIMEOUT shortens the limit of every test to so many
# seconds.
function(octavo_discover_tests target timeout)
  set(list_file ${CMAKE_CURRENT_BINARY_DIR}/${target}_tests.cmake)
  add_custom_command(TARGET ${target} POST_BUILD
    BYPRODUCTS ${list_file}
    COMMAND ${CMAKE_COMMAND} -D executable=$<TARGET_FILE:${target}> -D list_file=${list_file} -D prefix=${target} -D timeout=${timeout}
      -P ${PROJECT_SOURCE_DIR}/cmake/OctavoListTests.cmake
    VERBATIM)
  # Through a file of its own: what has not been built yet has no list, and shows as a test that fails.
  set(include_file ${CMAKE_CURRENT_BINARY_DIR}/${target}_include.cmake)
  file(WRITE ${include_file}
    "if(EXISTS [==[${list_file}]==])\n  include([==[${list_file}]==])\nelse()\n  add_test([==[${target} is not built]==] not-built)\nendif()\n")
  set_property(DIRECTORY APPEND PROPERTY TEST_INCLUDE_FILES ${include_file})
endfunction()
