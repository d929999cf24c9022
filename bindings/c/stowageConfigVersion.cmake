# Before 1.0 a new minor version may change the interface; from then on a major one.
set(PACKAGE_VERSION "0.3.0")

if(PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION)
  set(PACKAGE_VERSION_COMPATIBLE FALSE)
else()
  string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" _stowage_series "${PACKAGE_VERSION}")
  string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" _stowage_asked "${PACKAGE_FIND_VERSION}")
  if(NOT PACKAGE_FIND_VERSION OR _stowage_series STREQUAL _stowage_asked)
    set(PACKAGE_VERSION_COMPATIBLE TRUE)
  else()
    set(PACKAGE_VERSION_COMPATIBLE FALSE)
  endif()
  if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
    set(PACKAGE_VERSION_EXACT TRUE)
  endif()
endif()

# The library is one of 64 bits.
if(CMAKE_SIZEOF_VOID_P AND NOT CMAKE_SIZEOF_VOID_P EQUAL 8)
  set(PACKAGE_VERSION "${PACKAGE_VERSION} (64 bits)")
  set(PACKAGE_VERSION_UNSUITABLE TRUE)
endif()
