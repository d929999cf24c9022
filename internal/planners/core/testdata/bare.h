/* bare.h: what driver.c takes of a C library, for an emulated Cortex-M4 or RISC-V without one. bare.c has it. */
#include <stddef.h>
#include <stdint.h>

void *calloc(size_t count, size_t each);
void *malloc(size_t bytes);
void free(void *p);
void *memset(void *to, int byte, size_t bytes);
int strcmp(const char *a, const char *b);
int printf(const char *format, ...); /* %d, %lld and %zu */
int64_t number(void);                /* the next one of the file cases, or the end */
#define fflush(file)
