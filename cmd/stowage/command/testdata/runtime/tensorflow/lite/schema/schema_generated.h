#include "tensorflow/lite/micro/micro_interpreter.h"
