# octavo_add_ptx(name FOLDER folder SOURCES... ARCHITECTURES...): compiles CUDA sources to PTX with
# CUDAToolkit_NVCC_EXECUTABLE, as the files <folder>/<architecture>/<source>.ptx.
function(octavo_add_ptx name)
  cmake_parse_arguments(arg "" "FOLDER" "SOURCES;ARCHITECTURES" ${ARGN})
  set(outputs)
  foreach(architecture IN LISTS arg_ARCHITECTURES)
    file(MAKE_DIRECTORY ${arg_FOLDER}/${architecture})
    foreach(source IN LISTS arg_SOURCES)
      cmake_path(GET source STEM stem)
      set(output ${arg_FOLDER}/${architecture}/${stem}.ptx)
      add_custom_command(OUTPUT ${output}
        COMMAND ${CUDAToolkit_NVCC_EXECUTABLE} -ptx -x cu -arch=compute_${architecture} -std=c++20 --fmad=false
          --expt-relaxed-constexpr -DNDEBUG -lineinfo -I${PROJECT_BINARY_DIR}/kernels/include
          -I${PROJECT_SOURCE_DIR}/kernels/include -I${PROJECT_SOURCE_DIR}/lib/lab/src -MD -MF ${output}.d ${source} -o ${output}
        DEPENDS ${source} DEPFILE ${output}.d
        COMMENT "Compiling ${stem} to PTX of ${architecture}" VERBATIM)
      list(APPEND outputs ${output})
    endforeach()
  endforeach()
  add_custom_target(${name} ALL DEPENDS ${outputs})
endfunction()
