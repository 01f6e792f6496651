# Which CUDA architectures to compile for: those of ours that the toolkit knows. CUDA 12.4 knows up to 9.0, 12.8 up to
# 12.0, and 13.0 from 7.5 on.

# octavo_known_architectures(result nvcc): the numbers that `nvcc --list-gpu-arch` prints, such as 75;80;90; empty if the
# compiler does not answer, as another one than nvcc.
function(octavo_known_architectures result nvcc)
  set(known "")
  execute_process(COMMAND ${nvcc} --list-gpu-arch OUTPUT_VARIABLE listing ERROR_QUIET RESULT_VARIABLE status)
  if(status EQUAL 0)
    string(REGEX MATCHALL "compute_[0-9]+" known "${listing}")
    list(TRANSFORM known REPLACE "compute_" "")
  endif()
  set(${result} "${known}" PARENT_SCOPE)
endfunction()

# octavo_choose_architectures(result known): what CMAKE_CUDA_ARCHITECTURES is by default. Code for one minor version runs
# on the later ones of its major version; the PTX of the last one is kept for chips that are newer than the toolkit.
# Where the known ones are not known, those that every toolkit from 12.4 on has.
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

# octavo_unknown_architectures(result known architecture...): those, of the form of CMAKE_CUDA_ARCHITECTURES, that are not
# known. Words such as native, and everything where the known ones are not known, pass.
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
