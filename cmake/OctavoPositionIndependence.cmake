# Decides whether the dependencies can be linked into a shared library: OCTAVO_DEPENDENCIES_ARE_PIC.
#
# Debian and Ubuntu compile some of their static libraries for executables only (-fPIE). A Python module or plugin that
# links one of them fails at link time, with an error about a relocation that does not name the cause.
include(CheckCXXSourceCompiles)
include(CMakePushCheckState)

# octavo_check_position_independence(out): YES if every static library among octavo_deps::* is position independent.
# The result is cached for each library file and its timestamp, so that a changed library is checked again.
function(octavo_check_position_independence out)
  set(offenders "")
  get_cmake_property(variables CACHE_VARIABLES)
  list(FILTER variables INCLUDE REGEX "^OCTAVO_[a-z0-9]+_LIBRARY$")
  foreach(variable IN LISTS variables)
    set(library ${${variable}})
    if(NOT library MATCHES "\\.a$" OR NOT EXISTS ${library})
      continue()
    endif()
    file(TIMESTAMP ${library} timestamp "%s" UTC)
    string(MD5 key "${library} ${timestamp}")
    string(SUBSTRING ${key} 0 8 key)
    cmake_push_check_state(RESET)
    set(CMAKE_REQUIRED_QUIET ON)
    set(CMAKE_REQUIRED_FLAGS -fPIC)
    set(CMAKE_REQUIRED_LINK_OPTIONS -shared -Wl,--whole-archive ${library} -Wl,--no-whole-archive)
    check_cxx_source_compiles("int main() { return 0; }" OCTAVO_PIC_${key})
    cmake_pop_check_state()
    if(NOT OCTAVO_PIC_${key})
      list(APPEND offenders ${library})
    endif()
  endforeach()
  if(offenders)
    list(JOIN offenders " " offenders)
    message(STATUS "Not position independent, unusable in shared libraries: ${offenders}")
    set(${out} NO PARENT_SCOPE)
  else()
    set(${out} YES PARENT_SCOPE)
  endif()
endfunction()

octavo_check_position_independence(OCTAVO_DEPENDENCIES_ARE_PIC)
