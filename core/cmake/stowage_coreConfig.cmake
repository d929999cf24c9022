# What `make install` installs for find_package(stowage_core). The C file is compiled with the program that links
# stowage::core, with its flags, so that STOWAGE_CORE_LEVEL is the program's choice.
if(TARGET stowage::core)
  return()
endif()

get_property(_stowage_core_languages GLOBAL PROPERTY ENABLED_LANGUAGES)
if(NOT "C" IN_LIST _stowage_core_languages) # without it CMake leaves the C file out, and says nothing
  set(stowage_core_FOUND FALSE)
  set(stowage_core_NOT_FOUND_MESSAGE "stowage_core.c is C: add C to the languages of project()")
  return()
endif()

set(_stowage_core_prefix "${CMAKE_CURRENT_LIST_DIR}")
foreach(_stowage_core_up 1 2 3 4) # PREFIX/lib/cmake/stowage_core, or with lib/x86_64-linux-gnu
  get_filename_component(_stowage_core_prefix "${_stowage_core_prefix}" DIRECTORY)
  if(EXISTS "${_stowage_core_prefix}/share/stowage/stowage_core.c")
    add_library(stowage::core INTERFACE IMPORTED)
    set_target_properties(stowage::core PROPERTIES
      INTERFACE_SOURCES "${_stowage_core_prefix}/share/stowage/stowage_core.c"
      INTERFACE_INCLUDE_DIRECTORIES "${_stowage_core_prefix}/include")
    break()
  endif()
endforeach()
if(NOT TARGET stowage::core)
  set(stowage_core_FOUND FALSE)
  set(stowage_core_NOT_FOUND_MESSAGE "there is no share/stowage/stowage_core.c above ${CMAKE_CURRENT_LIST_DIR}")
endif()
unset(_stowage_core_languages)
unset(_stowage_core_prefix)
unset(_stowage_core_up)
