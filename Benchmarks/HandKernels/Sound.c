// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include "HandKernels.h"

#include <errno.h>
#include <sndfile.h>
#include <spawn.h>
#include <stdlib.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

enum { chunk = 4096 };

int hand_write_sound(const char *path, int channels, int rate, size_t frames) {
  SF_INFO info = {.samplerate = rate, .channels = channels, .format = SF_FORMAT_WAV | SF_FORMAT_FLOAT};
  SNDFILE *file = sf_open(path, SFM_WRITE, &info);
  float *samples = malloc(sizeof *samples * chunk * (size_t)channels);
  int failed = !file || !samples;
  uint32_t state = 1;
  for (size_t done = 0; !failed && done < frames; done += chunk) {
    size_t count = frames - done < chunk ? frames - done : chunk;
    for (size_t i = 0; i < count * (size_t)channels; i++) {
      state = state * 1664525 + 1013904223;
      samples[i] = (float)(int32_t)state * 0x1p-32f;
    }
    failed = sf_writef_float(file, samples, (sf_count_t)count) != (sf_count_t)count;
  }
  free(samples);
  return (file && sf_close(file)) || failed;
}

int hand_copy_sound(const char *from, const char *to) {
  SF_INFO info = {0};
  SNDFILE *source = sf_open(from, SFM_READ, &info);
  if (!source) return 1;
  SNDFILE *target = sf_open(to, SFM_WRITE, &info);
  float *samples = malloc(sizeof *samples * chunk * (size_t)info.channels);
  int failed = !target || !samples;
  while (!failed) {
    sf_count_t count = sf_readf_float(source, samples, chunk);
    if (count <= 0) break;
    failed = sf_writef_float(target, samples, count) != count;
  }
  free(samples);
  sf_close(source);
  return (target && sf_close(target)) || failed;
}

extern char **environ;

int hand_run(char *const *arguments, struct hand_run_usage *usage) {
  struct timespec begin, end;
  struct rusage resources;
  pid_t child;
  int status;
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int error = posix_spawn(&child, arguments[0], 0, 0, arguments, environ);
  if (error) return error;
  while (wait4(child, &status, 0, &resources) < 0) {
    if (errno != EINTR) return errno;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  usage->nanoseconds = (double)(end.tv_sec - begin.tv_sec) * 1e9 + (double)(end.tv_nsec - begin.tv_nsec);
  usage->peak_kibibytes = (size_t)resources.ru_maxrss;
  usage->status = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return 0;
}
