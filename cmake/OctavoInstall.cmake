# What `cmake --install` puts where, and the package that find_package(octavo) finds.
if(NOT PROJECT_IS_TOP_LEVEL)
  return()
endif()
include(GNUInstallDirs)
include(CMakePackageConfigHelpers)

set(octavo_package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/octavo)

# The kernels' headers stay inside: the public headers do not include them.
set_target_properties(octavo_kernels PROPERTIES EXPORT_NAME kernels)
install(TARGETS octavo octavo_kernels EXPORT octavo-targets
  ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR}
  LIBRARY DESTINATION ${CMAKE_INSTALL_LIBDIR}
  FILE_SET HEADERS DESTINATION ${CMAKE_INSTALL_INCLUDEDIR})
install(EXPORT octavo-targets NAMESPACE octavo:: DESTINATION ${octavo_package_folder})

configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/octavo-config.cmake.in octavo-config.cmake
  INSTALL_DESTINATION ${octavo_package_folder})
# Before 1.0 a new minor version may change the interface.
write_basic_package_version_file(octavo-config-version.cmake COMPATIBILITY SameMinorVersion)
install(FILES
  ${CMAKE_CURRENT_BINARY_DIR}/octavo-config.cmake
  ${CMAKE_CURRENT_BINARY_DIR}/octavo-config-version.cmake
  ${CMAKE_CURRENT_LIST_DIR}/OctavoDependencies.cmake
  DESTINATION ${octavo_package_folder})
