// SPDX-License-Identifier: Apache-2.0

#define _GNU_SOURCE
#include <errno.h>
#include <spawn.h>
#include <stdio.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <time.h>

// Launch PROGRAM ARGUMENT…: runs a program, then says on the standard output, in one line, the seconds that passed,
// the seconds of processors, and the peak memory in KiB.
//
// The system counts a process's memory from before its program began, when it was a copy of the one that started it.
// So a small program has to do it.

extern char **environ;

static double seconds(struct timeval time) { return (double)time.tv_sec + (double)time.tv_usec * 1e-6; }

int main(int count, char **words) {
  if (count < 2) return fputs("Launch: give a program\n", stderr), 2;
  struct timespec begin, end;
  struct rusage usage;
  pid_t child;
  int status;
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  // What the program prints is not mixed with the figures.
  posix_spawn_file_actions_adddup2(&actions, 2, 1);
  clock_gettime(CLOCK_MONOTONIC, &begin);
  int error = posix_spawnp(&child, words[1], &actions, NULL, words + 1, environ);
  if (error) return fprintf(stderr, "%s does not start: %s\n", words[1], strerror(error)), 1;
  while (wait4(child, &status, 0, &usage) < 0) {
    if (errno != EINTR) return fprintf(stderr, "%s is lost: %s\n", words[1], strerror(errno)), 1;
  }
  clock_gettime(CLOCK_MONOTONIC, &end);
  double wall = (double)(end.tv_sec - begin.tv_sec) + (double)(end.tv_nsec - begin.tv_nsec) * 1e-9;
  printf("%.6f %.6f %ld\n", wall, seconds(usage.ru_utime) + seconds(usage.ru_stime), usage.ru_maxrss);
  return WIFEXITED(status) ? WEXITSTATUS(status) : 128 + WTERMSIG(status);
}
