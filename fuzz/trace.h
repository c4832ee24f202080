/* Put in front of every generated C file of an instrumented build: see trace.c. */
#ifndef DECIBAN_TRACE_H
#define DECIBAN_TRACE_H
#include <string.h>
void *deciban_traced_memchr(const void *start, int byte, size_t size);
void *deciban_traced_memcpy(void *target, const void *source, size_t size);
#define memchr deciban_traced_memchr
#undef memcpy
#define memcpy deciban_traced_memcpy
#endif
