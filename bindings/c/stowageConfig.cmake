# For CMake, from 3.13 on:
#
#     find_package(stowage 0.3 REQUIRED)
#     target_link_libraries(compiler PRIVATE stowage::stowage)   # shared
#     target_link_libraries(compiler PRIVATE stowage::static)    # linked in
#
# It is where `make install` puts it, PREFIX/lib/cmake/stowage, or in one folder with the
# library and the header, as in bin/capi and in a release. Both can be moved.
if(TARGET stowage::stowage OR TARGET stowage::static)
  return()
endif()

set(_stowage_header "${CMAKE_CURRENT_LIST_DIR}")
set(_stowage_library "${CMAKE_CURRENT_LIST_DIR}")
if(NOT EXISTS "${_stowage_header}/stowage.h")
  get_filename_component(_stowage_library "${CMAKE_CURRENT_LIST_DIR}/../.." ABSOLUTE)
  # Beside lib, or beside lib/x86_64-linux-gnu's lib.
  foreach(_stowage_up ".." "../..")
    if(EXISTS "${_stowage_library}/${_stowage_up}/include/stowage.h")
      get_filename_component(_stowage_header "${_stowage_library}/${_stowage_up}/include" ABSOLUTE)
      break()
    endif()
  endforeach()
endif()
if(NOT EXISTS "${_stowage_header}/stowage.h")
  set(stowage_FOUND FALSE)
  set(stowage_NOT_FOUND_MESSAGE "there is no stowage.h beside ${CMAKE_CURRENT_LIST_DIR}")
  return()
endif()

if(WIN32)
  set(_stowage_shared "${_stowage_library}/stowage.dll")
else()
  set(_stowage_shared "${_stowage_library}/libstowage${CMAKE_SHARED_LIBRARY_SUFFIX}")
  if(NOT EXISTS "${_stowage_shared}")
    set(_stowage_shared "${_stowage_library}/libstowage.so") # Go's name for it on every Unix
  endif()
endif()
if(EXISTS "${_stowage_shared}")
  add_library(stowage::stowage SHARED IMPORTED)
  set_target_properties(stowage::stowage PROPERTIES
    IMPORTED_LOCATION "${_stowage_shared}"
    INTERFACE_INCLUDE_DIRECTORIES "${_stowage_header}")
  if(WIN32)
    set_target_properties(stowage::stowage PROPERTIES IMPORTED_IMPLIB "${_stowage_shared}") # MinGW links to the DLL itself
  endif()
endif()

if(EXISTS "${_stowage_library}/libstowage.a")
  include(CMakeFindDependencyMacro)
  set(THREADS_PREFER_PTHREAD_FLAG ON)
  find_dependency(Threads)
  add_library(stowage::static STATIC IMPORTED)
  set(_stowage_needs Threads::Threads)
  if(APPLE)
    list(APPEND _stowage_needs "-framework CoreFoundation")
  endif()
  set_target_properties(stowage::static PROPERTIES
    IMPORTED_LOCATION "${_stowage_library}/libstowage.a"
    INTERFACE_INCLUDE_DIRECTORIES "${_stowage_header}"
    INTERFACE_LINK_LIBRARIES "${_stowage_needs}")
endif()

if(NOT TARGET stowage::stowage AND NOT TARGET stowage::static)
  set(stowage_FOUND FALSE)
  set(stowage_NOT_FOUND_MESSAGE "there is no library of Stowage in ${_stowage_library}")
endif()
unset(_stowage_header)
unset(_stowage_library)
unset(_stowage_shared)
unset(_stowage_needs)
unset(_stowage_up)
