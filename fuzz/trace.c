/* What an instrumented build reports to, preloaded into the Python process: how much work was done, and where.

   gcc's -fsanitize-coverage=trace-pc calls __sanitizer_cov_trace_pc at the start of every basic block. Here that adds
   one to `work`, and one to the cell of the edge from the block before it, in a map of 64 K cells. The C library is not
   instrumented, so memchr and memcpy add the bytes that they go over, 16 to a unit, as their loops do.

   A caller says trace_begin(), runs one input, and asks trace_work() for the work done, or trace_news() for the number
   of cells that reached a count never seen before (counts in powers of two: a loop that runs longer is news, but only
   eight times). */
#include <stdint.h>
#include <string.h>

#define CELLS 65536

static uint8_t edges[CELLS];
static uint8_t seen[CELLS];
static uint64_t work;
static uintptr_t last_block;

void __sanitizer_cov_trace_pc(void) {
    uintptr_t block = (uintptr_t)__builtin_return_address(0);
    uintptr_t mixed = (block * 0x9E3779B97F4A7C15u) >> 48;
    uint8_t *cell = &edges[(mixed ^ last_block) % CELLS];
    *cell += *cell < 255;
    last_block = mixed >> 1;
    work++;
}

void *deciban_traced_memchr(const void *start, int byte, size_t size) {
    void *found = memchr(start, byte, size);
    work += (found ? (size_t)((const char *)found - (const char *)start) : size) / 16;
    return found;
}

void *deciban_traced_memcpy(void *target, const void *source, size_t size) {
    work += size / 16;
    return memcpy(target, source, size);
}

void trace_begin(void) {
    memset(edges, 0, sizeof edges);
    last_block = 0;
    work = 0;
}

uint64_t trace_work(void) { return work; }

static uint8_t bucket(uint8_t count) {
    uint8_t bit = 1;
    while (count > 1) {
        count >>= 1;
        bit <<= 1;
    }
    return bit;
}

int trace_news(void) {
    int news = 0;
    for (int i = 0; i < CELLS; i++) {
        if (edges[i] && !(seen[i] & bucket(edges[i]))) {
            seen[i] |= bucket(edges[i]);
            news++;
        }
    }
    return news;
}
