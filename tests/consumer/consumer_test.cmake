# Installs ${octavo_build}, moves the installation, and builds and runs ${project} against it in ${work}.
cmake_policy(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${work})
run("install" ${CMAKE_COMMAND} --install ${octavo_build} --prefix ${work}/first)
file(RENAME ${work}/first ${work}/moved)

set(ENV{CMAKE_PREFIX_PATH} "${work}/moved:${dependencies}:$ENV{CMAKE_PREFIX_PATH}")
run("configure the consumer" ${CMAKE_COMMAND} -S ${project} -B ${work}/build -G ${generator}
  -DCMAKE_BUILD_TYPE=${build_type} -DCMAKE_CXX_COMPILER=${cxx_compiler} -DCMAKE_CXX_FLAGS=${cxx_flags})
run("build the consumer" ${CMAKE_COMMAND} --build ${work}/build)

run("run the consumer" ${work}/build/consumer)
if(NOT output STREQUAL "octavo ${version}\n")
  message(FATAL_ERROR "the consumer printed \"${output}\"; expected \"octavo ${version}\"")
endif()

execute_process(COMMAND ${work}/build/consumer ${work}/missing.h5
  RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
if(NOT status EQUAL 1 OR NOT errors MATCHES "^error: .*missing\\.h5")
  message(FATAL_ERROR "opening a missing file: exit status ${status}, \"${errors}\"")
endif()
