# Installs the component core of ${octavo_build}, and builds and runs ${project} against it in ${work}.
cmake_policy(VERSION 3.25)

include(${CMAKE_CURRENT_LIST_DIR}/run.cmake)

file(REMOVE_RECURSE ${work})
run("install core" ${CMAKE_COMMAND} --install ${octavo_build} --component core --prefix ${work}/installed)
if(NOT EXISTS ${work}/installed/share/doc/octavo/LICENSE)
  message(FATAL_ERROR "the component core installed no license")
endif()

# refuse(expected COMPONENTS...): find_package() must fail with this text.
function(refuse expected)
  file(WRITE ${work}/refused/CMakeLists.txt "cmake_minimum_required(VERSION 3.25)\nproject(refused LANGUAGES NONE)\n"
    "find_package(octavo REQUIRED ${ARGN} PATHS \"${work}/installed\" NO_DEFAULT_PATH)\n")
  execute_process(COMMAND ${CMAKE_COMMAND} -S ${work}/refused -B ${work}/refused/build
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_VARIABLE errors)
  string(REGEX REPLACE "[ \n]+" " " errors "${errors}")
  string(FIND "${errors}" "${expected}" place)
  if(status EQUAL 0 OR place EQUAL -1)
    message(FATAL_ERROR "find_package(octavo ${ARGN}): exit status ${status}, expected \"${expected}\"\n${errors}")
  endif()
endfunction()
if(NOT has_cuda)
  refuse("it was built without CUDA; build and install it with -D OCTAVO_CUDA=ON" COMPONENTS core cuda)
endif()
refuse("it has no component images; expected core, pack, fetch, remote, lab or cuda" COMPONENTS images)
refuse("its component pack is not installed" COMPONENTS core pack)
refuse("its component fetch is not installed" COMPONENTS fetch)

set(ENV{CMAKE_PREFIX_PATH} "${work}/installed:${dependencies}:$ENV{CMAKE_PREFIX_PATH}")
run("configure the consumer" ${CMAKE_COMMAND} -S ${project} -B ${work}/build -G ${generator}
  -DCMAKE_BUILD_TYPE=${build_type} -DCMAKE_CXX_COMPILER=${cxx_compiler} -DCMAKE_CXX_FLAGS=${cxx_flags})
run("build the consumer" ${CMAKE_COMMAND} --build ${work}/build)

run("pack the digits" ${octavo} pack ${data} -o ${work}/digits.h5 --quiet)
run("run the consumer" ${work}/build/core_consumer ${work}/digits.h5)
if(NOT output STREQUAL "10 images\n")
  message(FATAL_ERROR "the consumer printed \"${output}\"; expected \"10 images\"")
endif()

run("list its libraries" ldd ${work}/build/core_consumer)
foreach(library hdf5 blas jpeg png tiff webp gif archive utf8proc curl crypto cublas)
  if(output MATCHES "lib${library}")
    message(FATAL_ERROR "a program on octavo::core links ${library}:\n${output}")
  endif()
endforeach()
