# For CMake, from 3.13 on. The planner is a source file, which a program compiles with its own flags:
#
#     find_package(stowage_core REQUIRED)
#     target_link_libraries(compiler PRIVATE stowage::core)
#
# It is where `make install` puts it, PREFIX/lib/cmake/stowage_core, and can be moved with the rest.
if(TARGET stowage::core)
  return()
endif()
get_filename_component(_stowage_core_prefix "${CMAKE_CURRENT_LIST_DIR}/../../.." ABSOLUTE)
add_library(stowage::core INTERFACE IMPORTED)
set_target_properties(stowage::core PROPERTIES
  INTERFACE_SOURCES "${_stowage_core_prefix}/share/stowage/stowage_core.c"
  INTERFACE_INCLUDE_DIRECTORIES "${_stowage_core_prefix}/include")
unset(_stowage_core_prefix)
