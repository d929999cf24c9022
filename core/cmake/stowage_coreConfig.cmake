# What `make install` installs for find_package(stowage_core). The C file is compiled with the program that links
# stowage::core, with its flags, so that STOWAGE_CORE_LEVEL is the program's choice. It needs the language C.
if(TARGET stowage::core)
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
unset(_stowage_core_prefix)
unset(_stowage_core_up)
