#pragma once
#include <stdio.h>
#define MicroPrintf(...) (printf(__VA_ARGS__), printf("\n"))
