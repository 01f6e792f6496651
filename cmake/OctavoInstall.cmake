# Installation, and the package for find_package(octavo).
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(octavo_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/octavo)

# octavo_install(component export TARGETS...): `cmake --install build --component core` installs one component.
function(octavo_install component export)
  install(TARGETS ${ARGN} EXPORT ${export}
    ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
    LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR} COMPONENT ${component}
    FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR} COMPONENT ${component})
  install(EXPORT ${export} NAMESPACE octavo:: DESTINATION ${octavo_package_folder} COMPONENT ${component})
endfunction()

# The kernels' headers are not installed: the public headers do not include them.
set_target_properties(octavo_kernels PROPERTIES EXPORT_NAME kernels)
set_target_properties(octavo_lab_kernels PROPERTIES EXPORT_NAME lab_kernels)
octavo_install(core octavo-core-targets octavo_types octavo_kernels octavo_core)
octavo_install(pack octavo-pack-targets octavo_pack)
octavo_install(fetch octavo-fetch-targets octavo_fetch)
octavo_install(remote octavo-remote-targets octavo_remote)
octavo_install(lab octavo-lab-targets octavo_lab_kernels octavo_lab)
octavo_install(all octavo-targets octavo)

# The licenses of Octavo and, if listed, of what it contains.
foreach(notice LICENSE NOTICE THIRD_PARTY_NOTICES THIRD_PARTY_NOTICES.md THIRD_PARTY_LICENSES.md)
  if(EXISTS ${PROJECT_SOURCE_DIR}/${notice})
    install(FILES ${PROJECT_SOURCE_DIR}/${notice} DESTINATION ${CMAKE_INSTALL_DOCDIR} COMPONENT core)
  endif()
endforeach()

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/octavo-config.cmake.in octavo-config.cmake
  INSTALL_DESTINATION ${octavo_package_folder})
# Before 1.0, a new minor version may change the interface.
write_basic_package_version_file(octavo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/octavo-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/octavo-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/OctavoDependencies.cmake
  DESTINATION ${octavo_package_folder} COMPONENT core)
