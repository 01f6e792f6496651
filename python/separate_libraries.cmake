# One shared library for each module, and one for the core that they share: a program that only serves batches loads no
# library for packing or fetching. The program `octavo` is an executable.

# octavo::core as a shared library of the package: the modules share its devices and threads.
file(CONFIGURE OUTPUT no_source.cpp CONTENT "// CMake requires a source file of each shared library.\n")
add_library(octavo_shared_core SHARED ${CMAKE_CURRENT_BINARY_DIR}/no_source.cpp)
set_target_properties(octavo_shared_core PROPERTIES OUTPUT_NAME octavo_core
  LIBRARY_OUTPUT_DIRECTORY ${package_folder} LINK_DEPENDS ${CMAKE_CURRENT_SOURCE_DIR}/bindings/core_symbols.txt)
target_link_libraries(octavo_shared_core PRIVATE $<LINK_LIBRARY:WHOLE_ARCHIVE,octavo_core>)
target_link_options(octavo_shared_core PRIVATE
  -Wl,--version-script=${CMAKE_CURRENT_SOURCE_DIR}/bindings/core_symbols.txt)
install(TARGETS octavo_shared_core LIBRARY DESTINATION octavo COMPONENT python)

# The linker must take octavo::core from the shared library, not from the static one. It comes first on the command
# line, where nothing needs it yet, so it must be kept anyway.
set(CMAKE_LINK_LIBRARY_USING_KEEP LINKER:--push-state,--no-as-needed <LINK_ITEM> LINKER:--pop-state)
set(CMAKE_LINK_LIBRARY_USING_KEEP_SUPPORTED TRUE)

foreach(name IN LISTS module_names)
  string(SUBSTRING ${name} 1 -1 part)
  nanobind_add_module(${name} NB_STATIC ${${name}_sources} ${support_sources})
  target_compile_features(${name} PRIVATE cxx_std_20)
  target_include_directories(${name} PRIVATE bindings)
  target_link_libraries(${name} PRIVATE $<LINK_LIBRARY:KEEP,octavo_shared_core> octavo::${part})
  # Static libraries stay private: h5py loads another HDF5 into the same process.
  target_link_options(${name} PRIVATE -Wl,--exclude-libs,ALL)
  set_target_properties(${name} PROPERTIES LIBRARY_OUTPUT_DIRECTORY ${package_folder} INSTALL_RPATH $ORIGIN)
  install(TARGETS ${name} LIBRARY DESTINATION octavo COMPONENT python)
  add_dependencies(octavo_python_modules ${name})
  octavo_python_stub(${name} ${name})
endforeach()
octavo_python_types(_core)
foreach(name _pack _fetch _lab)
  add_dependencies(${name}_stub _core)  # the module imports it
endforeach()

if(SKBUILD)
  install(TARGETS octavo_program RUNTIME DESTINATION ${SKBUILD_SCRIPTS_DIR} COMPONENT python)
endif()
