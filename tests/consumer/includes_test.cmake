# Compiles files with the include folders of octavo::core, which must find its own headers and no others.
cmake_policy(VERSION 3.25)

list(TRANSFORM includes PREPEND -I)
file(MAKE_DIRECTORY ${work})
# compile(header status): status receives the exit status of compiling an #include of the header.
function(compile header result)
  file(WRITE ${work}/one.cpp "#include \"${header}\"\n")
  execute_process(COMMAND ${cxx_compiler} -std=c++20 -fsyntax-only ${includes} ${work}/one.cpp
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  set(${result} ${status} PARENT_SCOPE)
endfunction()

foreach(header store/upload.hpp octavo/loader.hpp kernels/gather.hpp)
  compile(${header} status)
  if(NOT status EQUAL 0)
    message(FATAL_ERROR "core cannot include its own ${header}")
  endif()
endforeach()
foreach(header packing/provenance.hpp octavo/pack.hpp hdf5/session.hpp training/trainer.hpp octavo/fetch.hpp
    command.hpp tools/command.hpp)
  compile(${header} status)
  if(status EQUAL 0)
    message(FATAL_ERROR "core can include ${header}, which is above it")
  endif()
endforeach()
