#pragma once
#include "tensorflow/lite/c/common.h"
STUB_OPEN
constexpr int MicroArenaBufferAlignment() { return 16; }
STUB_CLOSE
