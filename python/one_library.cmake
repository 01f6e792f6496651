# One shared library for all modules and the program, as in the wheels. Its dependencies are static, so it contains the
# core, HDF5 and the C++ library only once, and exceptions pass between modules.
nanobind_add_module(_native NB_STATIC STABLE_ABI
  ${_core_sources} ${_pack_sources} ${_fetch_sources} ${_lab_sources} ${support_sources} bindings/program.cpp)
target_compile_features(_native PRIVATE cxx_std_20)
target_include_directories(_native PRIVATE bindings)
target_link_libraries(_native PRIVATE octavo_commands)
# nanobind's headers use stderr, but with the stable interface Python.h does not include <stdio.h>.
foreach(target _native nanobind-static-abi3)
  if(TARGET ${target})
    target_compile_options(${target} PRIVATE -include stdio.h)
  endif()
endforeach()
# Everything else stays private: h5py loads another HDF5 into the same process.
set(native_symbols ${CMAKE_CURRENT_SOURCE_DIR}/bindings/native_symbols.txt)
target_link_options(_native PRIVATE -Wl,--version-script=${native_symbols})
set_target_properties(_native PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package_folder} LINK_DEPENDS ${native_symbols})
install(TARGETS _native LIBRARY DESTINATION octavo COMPONENT python)
add_dependencies(octavo_python_modules _native)

# Python finds a module by its file name, so each one has a small file that takes it from the library.
foreach(name IN LISTS module_names)
  configure_file(bindings/module_of_library.py ${package_folder}/${name}.py COPYONLY)
  install(FILES ${package_folder}/${name}.py DESTINATION octavo COMPONENT python)
  octavo_python_stub(${name} _native)
endforeach()
octavo_python_types(_native)

if(SKBUILD)
  install(PROGRAMS bindings/octavo_script.py DESTINATION ${SKBUILD_SCRIPTS_DIR} RENAME octavo COMPONENT python)
endif()
