// SPDX-License-Identifier: Apache-2.0
// Stands before the C library's allocator in every program that this is linked into, and counts: calls for watched
// threads, bytes for every one.
//
// Each function goes on to a sanitizer's allocator where there is one, else to the C library's own.
#define _GNU_SOURCE
#include "Watch.h"

#include <errno.h>
#include <stddef.h>
#include <unistd.h>

#define NEXT(result, name, ...) \
  extern result __libc_##name(__VA_ARGS__); \
  extern result __interceptor_##name(__VA_ARGS__) __attribute__((weak));

NEXT(void *, malloc, size_t)
NEXT(void *, calloc, size_t, size_t)
NEXT(void *, realloc, void *, size_t)
NEXT(void *, memalign, size_t, size_t)
NEXT(void, free, void *)

#define ONWARD(name, ...) (__interceptor_##name ? __interceptor_##name(__VA_ARGS__) : __libc_##name(__VA_ARGS__))

static WATCH_LOCAL uint64_t bytes_asked_for;

uint64_t heap_bytes_asked_for(void) { return bytes_asked_for; }

WATCH_PLAIN static inline void count_allocation(size_t size) {
  if (watch_is_on) watch_counts.allocations++;
  bytes_asked_for += size;
}

WATCH_PLAIN static inline void *aligned(size_t alignment, size_t size) {
  count_allocation(size);
  return ONWARD(memalign, alignment, size);
}

WATCH_INTERPOSED void *malloc(size_t size) {
  count_allocation(size);
  return ONWARD(malloc, size);
}

WATCH_INTERPOSED void *calloc(size_t count, size_t size) {
  count_allocation(count * size);
  return ONWARD(calloc, count, size);
}

WATCH_INTERPOSED void *realloc(void *memory, size_t size) {
  count_allocation(size);
  return ONWARD(realloc, memory, size);
}

WATCH_INTERPOSED void *reallocarray(void *memory, size_t count, size_t size) {
  size_t bytes;
  if (__builtin_mul_overflow(count, size, &bytes)) {
    errno = ENOMEM;
    return NULL;
  }
  return realloc(memory, bytes);
}

WATCH_INTERPOSED void free(void *memory) {
  if (watch_is_on && memory) watch_counts.frees++;
  if (__interceptor_free) {
    __interceptor_free(memory);
  } else {
    __libc_free(memory);
  }
}

WATCH_INTERPOSED void *memalign(size_t alignment, size_t size) { return aligned(alignment, size); }

WATCH_INTERPOSED void *aligned_alloc(size_t alignment, size_t size) { return aligned(alignment, size); }

WATCH_INTERPOSED int posix_memalign(void **place, size_t alignment, size_t size) {
  if (alignment < sizeof(void *) || (alignment & (alignment - 1))) return EINVAL;
  void *memory = aligned(alignment, size);
  if (!memory) return ENOMEM;
  *place = memory;
  return 0;
}

WATCH_INTERPOSED void *valloc(size_t size) { return aligned((size_t)sysconf(_SC_PAGESIZE), size); }

WATCH_INTERPOSED void *pvalloc(size_t size) {
  size_t page = (size_t)sysconf(_SC_PAGESIZE);
  return aligned(page, (size + page - 1) / page * page);
}
