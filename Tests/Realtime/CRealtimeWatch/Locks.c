// SPDX-License-Identifier: Apache-2.0
// Stands before the C library's locks in every program that this is linked into, and counts for watched threads.
//
// A lock that has to wait enters the kernel and is seen there, too; one that is free does not, and is seen only here.
// To wait for a condition one holds a mutex.
#define _GNU_SOURCE
#include "Watch.h"

#include <dlfcn.h>
#include <pthread.h>
#include <semaphore.h>
#include <stddef.h>

// X(name, type of the lock)
#define EACH_LOCK(X) \
  X(pthread_mutex_lock, pthread_mutex_t) \
  X(pthread_mutex_trylock, pthread_mutex_t) \
  X(pthread_rwlock_rdlock, pthread_rwlock_t) \
  X(pthread_rwlock_tryrdlock, pthread_rwlock_t) \
  X(pthread_rwlock_wrlock, pthread_rwlock_t) \
  X(pthread_rwlock_trywrlock, pthread_rwlock_t) \
  X(pthread_spin_lock, pthread_spinlock_t) \
  X(sem_wait, sem_t) \
  X(sem_trywait, sem_t)

// Each goes on to a sanitizer's function where there is one, else to the C library's.
#define LOCK(name, type) \
  extern int __interceptor_##name(type *) __attribute__((weak)); \
  static int (*next_##name)(type *); \
  WATCH_PLAIN static int (*find_##name(void))(type *) { \
    int (*known)(type *) = __atomic_load_n(&next_##name, __ATOMIC_RELAXED); \
    if (!known) { \
      known = (int (*)(type *))dlsym(RTLD_NEXT, #name); \
      __atomic_store_n(&next_##name, known, __ATOMIC_RELAXED); \
    } \
    return known; \
  } \
  WATCH_INTERPOSED int name(type *lock) { \
    if (watch_is_on) watch_counts.locks++; \
    return __interceptor_##name ? __interceptor_##name(lock) : find_##name()(lock); \
  }
EACH_LOCK(LOCK)

#define FIND(name, type) find_##name();
void watch_find_locks(void) { EACH_LOCK(FIND) }
