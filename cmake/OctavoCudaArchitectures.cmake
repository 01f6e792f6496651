# Chooses the CUDA architectures to compile for: those of ours that the toolkit supports. CUDA 12.4 supports up to 9.0,
# 12.8 up to 12.0, and 13.0 starts at 7.5.

# octavo_known_architectures(result nvcc): the numbers that `nvcc --list-gpu-arch` prints, such as 75;80;90. Empty if
# the compiler is not nvcc and lacks this option.
function(octavo_known_architectures result nvcc)
  set(known "")
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listing ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    string(REGEX MATCHALL "compute_[0-9]+" known "${listing}")
    list(TRANSFORM known REPLACE "compute_" "")
  endif()
  set(${result} "${known}" PARENT_SCOPE)
endfunction()

# octavo_choose_architectures(result known): the default of CMAKE_CUDA_ARCHITECTURES. Code for one minor version runs on
# later ones of the same major version; the PTX of the last one is kept for chips newer than the toolkit. If `known` is
# empty, chooses those that every toolkit since 12.4 supports.
function(octavo_choose_architectures result known)
  set(chosen 75 80 86 89 90)
  if(known)
    set(chosen "")
    foreach(architecture 75 80 86 89 90 100 120)
      if(architecture IN_LIST known)
        list(APPEND chosen ${architecture})
      endif()
    endforeach()
  endif()
  list(POP_BACK chosen newest)
  list(TRANSFORM chosen APPEND "-real")
  set(${result} ${chosen} ${newest} PARENT_SCOPE)
endfunction()

# octavo_unknown_architectures(result known architecture...): the given architectures (in the form of
# CMAKE_CUDA_ARCHITECTURES) that are not in `known`. Words such as native always pass, as does everything if `known` is
# empty.
function(octavo_unknown_architectures result known)
  set(unknown "")
  foreach(architecture IN LISTS ARGN)
    if(known AND architecture MATCHES "^([0-9]+)" AND NOT CMAKE_MATCH_1 IN_LIST known)
      list(APPEND unknown ${CMAKE_MATCH_1})
    endif()
  endforeach()
  list(REMOVE_DUPLICATES unknown)
  set(${result} "${unknown}" PARENT_SCOPE)
endfunction()

# octavo_tested_architectures(result nvcc): the architectures whose generated code tests check, without a GPU: those of
# OCTAVO_TESTED_ARCHITECTURES that the compiler supports. The sources distinguish those below 80 from the others.
# tools/soak.sh tests 80 and 120, too.
set(OCTAVO_TESTED_ARCHITECTURES 75 90 CACHE STRING "Architectures whose generated code is tested without a GPU")
function(octavo_tested_architectures result nvcc)
  set(tested ${OCTAVO_TESTED_ARCHITECTURES})
  octavo_known_architectures(known ${nvcc})
  octavo_unknown_architectures(unknown "${known}" ${tested})
  list(REMOVE_ITEM tested ${unknown})
  set(${result} ${tested} PARENT_SCOPE)
endfunction()
