# Compiles files with the include folders of octavo::core, pack, fetch and remote, which must find the headers that they may use
# and no others.
cmake_policy(VERSION 3.25)

file(MAKE_DIRECTORY ${work})
# compile(target header status): status receives the exit status of compiling an #include of the header.
function(compile target header result)
  list(TRANSFORM ${target}_includes PREPEND -I)
  file(WRITE ${work}/one.cpp "#include \"${header}\"\n")
  execute_process(COMMAND ${cxx_compiler} -std=c++20 -fsyntax-only ${${target}_includes} ${work}/one.cpp
    RESULT_VARIABLE status OUTPUT_QUIET ERROR_QUIET)
  set(${result} ${status} PARENT_SCOPE)
endfunction()

# check(target FINDS headers... REFUSES headers...)
function(check target)
  cmake_parse_arguments(arg "" "" "FINDS;REFUSES" ${ARGN})
  foreach(header IN LISTS arg_FINDS)
    compile(${target} ${header} status)
    if(NOT status EQUAL 0)
      message(FATAL_ERROR "${target} cannot include ${header}, which it may use")
    endif()
  endforeach()
  foreach(header IN LISTS arg_REFUSES)
    compile(${target} ${header} status)
    if(status EQUAL 0)
      message(FATAL_ERROR "${target} can include ${header}, which it may not use")
    endif()
  endforeach()
endfunction()

check(core FINDS store/staging/upload.hpp support/file.hpp format/limits.hpp octavo/loader.hpp kernels/gather.hpp
  REFUSES packing/provenance.hpp octavo/pack.hpp hdf5/session.hpp training/trainer.hpp training/kernels/arithmetic.hpp
    octavo/fetch.hpp verbs/command.hpp tools/verbs/command.hpp)
check(pack FINDS dataset_file/write/spool.hpp support/file.hpp format/reader.hpp octavo/loader.hpp kernels/gather.hpp
  REFUSES store/staging/upload.hpp dataset_file/split_data.hpp backend/backend.hpp training/trainer.hpp octavo/fetch.hpp
    verbs/command.hpp)
check(fetch FINDS fetching/set_check.hpp support/file.hpp octavo/fetch.hpp octavo/text.hpp
  REFUSES store/staging/upload.hpp format/limits.hpp packing/provenance.hpp octavo/pack.hpp kernels/gather.hpp verbs/command.hpp)
check(remote FINDS remote/url.hpp support/file.hpp octavo/remote.hpp octavo/text.hpp
  REFUSES store/staging/upload.hpp format/limits.hpp packing/provenance.hpp octavo/pack.hpp octavo/fetch.hpp
    kernels/gather.hpp verbs/command.hpp)
