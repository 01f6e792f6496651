# Finds the libraries that Octavo depends on, and defines a target octavo_deps::<name> for each.
#
# They come from the distribution's packages (tools/setup.sh) or, on a machine without network access, from .deps/,
# which tools/bundle_deps.sh creates elsewhere and which takes precedence. Headers and libraries are looked up by name,
# so that both sources work the same way. The installed package includes this file too: a program that uses it only
# links what the static library needs, so headers that only our own sources include are not searched.
find_package(Threads REQUIRED)

# Packages that were not found. OCTAVO_INSTALLED is set by the installed octavo-config.cmake.
set(octavo_missing "")
if(NOT OCTAVO_INSTALLED AND IS_DIRECTORY ${PROJECT_SOURCE_DIR}/.deps)
  message(STATUS "Dependencies: ${PROJECT_SOURCE_DIR}/.deps first")
  list(PREPEND CMAKE_PREFIX_PATH ${PROJECT_SOURCE_DIR}/.deps)
endif()

# octavo_find_dependency(name FOR component... HEADER h [LIBRARIES l...] [SUFFIXES s...] [OPTIONAL|IF_PRESENT] PACKAGE p)
#
# OPTIONAL: for a feature, which OCTAVO_OPTIONAL_LIBRARIES can turn off. IF_PRESENT: what another library may need.
# FOR names the components of the installed package that need it. octavo-config.cmake sets OCTAVO_COMPONENTS.
function(octavo_find_dependency name)
  cmake_parse_arguments(arg "OPTIONAL;IF_PRESENT" "HEADER;PACKAGE" "FOR;LIBRARIES;SUFFIXES" ${ARGN})
  if(TARGET octavo_deps::${name} OR (arg_OPTIONAL AND NOT OCTAVO_OPTIONAL_LIBRARIES AND NOT OCTAVO_INSTALLED))
    return()
  endif()
  if(OCTAVO_INSTALLED)
    set(needed FALSE)
    foreach(component IN LISTS arg_FOR)
      if(component IN_LIST OCTAVO_COMPONENTS)
        set(needed TRUE)
      endif()
    endforeach()
    if(NOT needed OR NOT arg_LIBRARIES)
      return()
    endif()
  endif()

  set(found YES)
  if(NOT OCTAVO_INSTALLED)
    find_path(OCTAVO_${name}_INCLUDE ${arg_HEADER} PATH_SUFFIXES ${arg_SUFFIXES})
    mark_as_advanced(OCTAVO_${name}_INCLUDE)
    if(NOT OCTAVO_${name}_INCLUDE)
      set(found NO)
    endif()
  endif()
  if(arg_LIBRARIES)
    # Search all names in one folder before the next folder, so that .deps takes precedence for every name.
    find_library(OCTAVO_${name}_LIBRARY NAMES ${arg_LIBRARIES} NAMES_PER_DIR PATH_SUFFIXES ${arg_SUFFIXES})
    mark_as_advanced(OCTAVO_${name}_LIBRARY)
    if(NOT OCTAVO_${name}_LIBRARY)
      set(found NO)
    endif()
  endif()

  if(NOT found)
    if(arg_OPTIONAL OR arg_IF_PRESENT)
      if(NOT OCTAVO_INSTALLED)
        message(STATUS "${name}: not found (${arg_PACKAGE})")
      endif()
    else()
      set(octavo_missing ${octavo_missing} ${arg_PACKAGE} PARENT_SCOPE)
    endif()
    return()
  endif()

  # Imported, so that the link interface of the installed library can use the name.
  if(arg_LIBRARIES)
    add_library(octavo_deps::${name} UNKNOWN IMPORTED GLOBAL)
    set_property(TARGET octavo_deps::${name} PROPERTY IMPORTED_LOCATION ${OCTAVO_${name}_LIBRARY})
  else()
    add_library(octavo_deps::${name} INTERFACE IMPORTED GLOBAL)
  endif()
  if(NOT OCTAVO_INSTALLED)
    set_property(TARGET octavo_deps::${name} PROPERTY INTERFACE_INCLUDE_DIRECTORIES ${OCTAVO_${name}_INCLUDE})
  endif()
endfunction()

# Search the serial HDF5 first: the plain name may belong to an MPI build.
octavo_find_dependency(hdf5 FOR pack HEADER hdf5.h LIBRARIES hdf5_serial hdf5 SUFFIXES hdf5/serial PACKAGE libhdf5-dev)
octavo_find_dependency(xxhash FOR core HEADER xxhash.h LIBRARIES xxhash PACKAGE libxxhash-dev)
octavo_find_dependency(json FOR core HEADER nlohmann/json.hpp PACKAGE nlohmann-json3-dev)
octavo_find_dependency(zlib FOR pack HEADER zlib.h LIBRARIES z PACKAGE zlib1g-dev)
octavo_find_dependency(jpeg FOR pack HEADER jpeglib.h LIBRARIES jpeg PACKAGE libjpeg-dev)
octavo_find_dependency(png FOR pack HEADER png.h LIBRARIES png16 png PACKAGE libpng-dev)
octavo_find_dependency(deflate FOR core HEADER libdeflate.h LIBRARIES deflate PACKAGE libdeflate-dev)
octavo_find_dependency(archive FOR pack HEADER archive.h LIBRARIES archive PACKAGE libarchive-dev OPTIONAL)
octavo_find_dependency(webp FOR pack HEADER webp/decode.h LIBRARIES webp PACKAGE libwebp-dev OPTIONAL)
octavo_find_dependency(tiff FOR pack HEADER tiffio.h LIBRARIES tiff PACKAGE libtiff-dev OPTIONAL)
octavo_find_dependency(gif FOR pack HEADER gif_lib.h LIBRARIES gif PACKAGE libgif-dev OPTIONAL)
octavo_find_dependency(utf8proc FOR pack HEADER utf8proc.h LIBRARIES utf8proc PACKAGE libutf8proc-dev OPTIONAL)
octavo_find_dependency(curl FOR fetch remote HEADER curl/curl.h LIBRARIES curl PACKAGE libcurl4-openssl-dev OPTIONAL)
octavo_find_dependency(crypto FOR fetch HEADER openssl/evp.h LIBRARIES crypto PACKAGE libssl-dev OPTIONAL)
# Checksums in a build without OpenSSL, such as the Python wheels.
if(NOT TARGET octavo_deps::crypto)
  octavo_find_dependency(mbedcrypto FOR fetch HEADER mbedtls/sha256.h LIBRARIES mbedcrypto PACKAGE libmbedtls-dev OPTIONAL)
endif()
octavo_find_dependency(highway FOR core HEADER hwy/highway.h LIBRARIES hwy PACKAGE libhwy-dev)
# Only its header: the library is loaded when a program first trains.
octavo_find_dependency(openblas FOR lab HEADER openblas_config.h
  SUFFIXES ${CMAKE_LIBRARY_ARCHITECTURE}/openblas-pthread openblas-pthread openblas PACKAGE libopenblas-dev OPTIONAL)
if(OCTAVO_TOOLS)
  octavo_find_dependency(cli11 FOR tools HEADER CLI/CLI.hpp PACKAGE libcli11-dev)
endif()

# The distributions' xxHash also has functions that use the processor's widest instructions: twice as fast.
if(TARGET octavo_deps::xxhash AND NOT OCTAVO_INSTALLED)
  include(CheckCXXSourceCompiles)
  include(CMakePushCheckState)
  cmake_push_check_state()
  set(CMAKE_REQUIRED_LIBRARIES octavo_deps::xxhash)
  check_cxx_source_compiles("#include <xxh_x86dispatch.h>
    int main() { return static_cast<int>(XXH3_64bits(\"\", 0)); }" OCTAVO_XXHASH_DISPATCH)
  cmake_pop_check_state()
  if(OCTAVO_XXHASH_DISPATCH)
    set_property(TARGET octavo_deps::xxhash APPEND PROPERTY INTERFACE_COMPILE_DEFINITIONS OCTAVO_XXHASH_DISPATCH)
  endif()
endif()

# A static library does not list its own dependencies.
function(octavo_static_dependencies name)
  if(TARGET octavo_deps::${name} AND OCTAVO_${name}_LIBRARY MATCHES "\\.a$")
    set_property(TARGET octavo_deps::${name} APPEND PROPERTY INTERFACE_LINK_LIBRARIES ${ARGN})
  endif()
endfunction()
octavo_static_dependencies(png octavo_deps::zlib m)
octavo_static_dependencies(tiff octavo_deps::jpeg octavo_deps::zlib m)
octavo_static_dependencies(archive octavo_deps::zlib)
octavo_static_dependencies(webp Threads::Threads m)
if(TARGET octavo_deps::hdf5 AND OCTAVO_hdf5_LIBRARY MATCHES "\\.a$")
  foreach(name sz aec)
    octavo_find_dependency(${name} FOR pack HEADER hdf5.h LIBRARIES ${name} SUFFIXES hdf5/serial PACKAGE libaec-dev IF_PRESENT)
    if(TARGET octavo_deps::${name})
      set_property(TARGET octavo_deps::hdf5 APPEND PROPERTY INTERFACE_LINK_LIBRARIES octavo_deps::${name})
    endif()
  endforeach()
  set_property(TARGET octavo_deps::hdf5 APPEND PROPERTY
    INTERFACE_LINK_LIBRARIES octavo_deps::zlib Threads::Threads ${CMAKE_DL_LIBS} m)
endif()

if(octavo_missing AND NOT OCTAVO_INSTALLED)
  list(JOIN octavo_missing " " octavo_missing)
  message(FATAL_ERROR "Required libraries not found; run tools/setup.sh, or install the packages: ${octavo_missing}")
endif()
