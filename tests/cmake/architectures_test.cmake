# cmake -P architectures_test.cmake: checks which architectures are chosen for toolkits that are not installed.
cmake_minimum_required(VERSION 3.25)
include(${CMAKE_CURRENT_LIST_DIR}/../../cmake/OctavoCudaArchitectures.cmake)

function(expect what expected actual)
  if(NOT "${actual}" STREQUAL "${expected}")
    message(SEND_ERROR "${what}: expected \"${expected}\", got \"${actual}\"")
  endif()
endfunction()

# fake_nvcc(result version): a compiler that lists the architectures that the toolkit of that version supports.
set(folder ${CMAKE_CURRENT_BINARY_DIR}/fake_nvcc)
file(MAKE_DIRECTORY ${folder})
function(fake_nvcc result version)
  file(CREATE_LINK ${CMAKE_CURRENT_LIST_DIR}/fake_nvcc.sh ${folder}/fake_nvcc_${version} SYMBOLIC)
  set(${result} ${folder}/fake_nvcc_${version} PARENT_SCOPE)
endfunction()

fake_nvcc(nvcc 12.4)
octavo_known_architectures(known ${nvcc})
octavo_choose_architectures(chosen "${known}")
expect("chosen for CUDA 12.4" "75-real;80-real;86-real;89-real;90" "${chosen}")
octavo_unknown_architectures(unknown "${known}" 90-real 100-real 120 native 90a-real 120-virtual)
expect("unknown to CUDA 12.4" "100;120" "${unknown}")

fake_nvcc(nvcc 12.8)
octavo_known_architectures(known ${nvcc})
octavo_choose_architectures(chosen "${known}")
expect("chosen for CUDA 12.8" "75-real;80-real;86-real;89-real;90-real;100-real;120" "${chosen}")

fake_nvcc(nvcc 13.0)
octavo_known_architectures(known ${nvcc})
octavo_choose_architectures(chosen "${known}")
expect("chosen for CUDA 13.0" "75-real;80-real;86-real;89-real;90-real;100-real;120" "${chosen}")
octavo_unknown_architectures(unknown "${known}" 70-real 75)
expect("unknown to CUDA 13.0" "70" "${unknown}")

# A compiler that lists none: architectures common to all supported toolkits are chosen, and nothing is rejected.
fake_nvcc(nvcc silent)
octavo_known_architectures(known ${nvcc})
expect("known to a silent compiler" "" "${known}")
octavo_choose_architectures(chosen "${known}")
expect("chosen for a silent compiler" "75-real;80-real;86-real;89-real;90" "${chosen}")
octavo_unknown_architectures(unknown "${known}" 120)
expect("unknown to a silent compiler" "" "${unknown}")
