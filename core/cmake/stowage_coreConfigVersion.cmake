# Before 1.0 a new minor version may change the interface; from then on a major one.
set(PACKAGE_VERSION "0.3.0")

set(PACKAGE_VERSION_COMPATIBLE FALSE)
string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" _stowage_core_series "${PACKAGE_VERSION}")
string(REGEX MATCH "^(0\\.[0-9]+|[1-9][0-9]*)" _stowage_core_asked "${PACKAGE_FIND_VERSION}")
if(NOT PACKAGE_FIND_VERSION OR
   (_stowage_core_series STREQUAL _stowage_core_asked AND NOT PACKAGE_FIND_VERSION VERSION_GREATER PACKAGE_VERSION))
  set(PACKAGE_VERSION_COMPATIBLE TRUE)
endif()
if(PACKAGE_FIND_VERSION VERSION_EQUAL PACKAGE_VERSION)
  set(PACKAGE_VERSION_EXACT TRUE)
endif()
