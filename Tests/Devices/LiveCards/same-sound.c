// SPDX-License-Identifier: Apache-2.0

// Follows a recording through the sound that it should hold.
//
//     same-sound EXPECTED RECORDED BYTES      BYTES of a frame; files with a WAVE header, or without
//
//     expected   0 1 2 3 4 5 6 7 8 9
//     recorded   . . 0 1 2 3 . . 6 7 8 9 .    matched 8, skipped 2
//
// What was recorded has to come in the expected order, bit for bit; silence may stand anywhere, and parts may be
// skipped. Prints how many frames are as expected, how many of the expected ones are skipped between them, missing in
// front and behind, and how many are foreign: neither as expected nor silent. The first runs of expected frames follow, as
// EXPECTED@RECORDED+LENGTH.

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/// Equal frames, none of them silent, that show where a recording goes on, and runs that are told.
enum { enough = 16, most_runs = 8 };

typedef struct {
  unsigned char *bytes;
  size_t frames;
} Sound;

static Sound sound(const char *path, size_t frame) {
  FILE *file = fopen(path, "rb");
  if (!file) {
    perror(path);
    exit(2);
  }
  fseek(file, 0, SEEK_END);
  size_t size = (size_t)ftell(file);
  rewind(file);
  unsigned char *bytes = calloc(size + 1, 1);
  if (!bytes || fread(bytes, 1, size, file) != size) {
    fprintf(stderr, "%s: cannot be read\n", path);
    exit(2);
  }
  fclose(file);
  if (size < 12 || memcmp(bytes, "RIFF", 4) != 0) return (Sound){bytes, size / frame};
  size_t at = 12, length = 0;
  while (at + 8 <= size) {
    memcpy(&length, bytes + at + 4, 4);
    at += 8;
    if (memcmp(bytes + at - 8, "data", 4) == 0) break;
    at += length + length % 2;
  }
  if (at > size) at = size;
  if (length > size - at) length = size - at;
  return (Sound){bytes + at, length / frame};
}

static size_t frame;

static int is_silent(const unsigned char *bytes) {
  for (size_t byte = 0; byte < frame; byte += 1) {
    if (bytes[byte] != 0) return 0;
  }
  return 1;
}

/// Whether the frames from here on are equal, until as many were not silent as show it: one frame in front of silence may be
/// any other one in front of silence.
static int goes_on(Sound expected, size_t from, Sound recorded, size_t at) {
  size_t heard = 0;
  for (; heard < enough && from < expected.frames && at < recorded.frames; from += 1, at += 1) {
    const unsigned char *here = recorded.bytes + at * frame;
    if (memcmp(expected.bytes + from * frame, here, frame) != 0) return 0;
    heard += !is_silent(here);
  }
  return heard == enough;
}

int main(int count, char **arguments) {
  if (count != 4 || (frame = (size_t)atoi(arguments[3])) == 0) return 2;
  Sound expected = sound(arguments[1], frame), recorded = sound(arguments[2], frame);
  size_t next = 0, front = 0, matched = 0, skipped = 0, foreign = 0, first = 0, at = 0;
  size_t runs[most_runs][3], run = 0;
  int follows = 0;
  while (at < recorded.frames) {
    const unsigned char *here = recorded.bytes + at * frame;
    if (follows && next < expected.frames && memcmp(expected.bytes + next * frame, here, frame) == 0) {
      if (run <= most_runs) runs[run - 1][2] += 1;
      matched += 1, next += 1, at += 1;
      continue;
    }
    follows = 0;
    if (is_silent(here)) {
      at += 1;
      continue;
    }
    size_t from = next;
    while (from < expected.frames && !goes_on(expected, from, recorded, at)) from += 1;
    if (from == expected.frames) {
      if (foreign == 0) first = at;
      foreign += 1, at += 1;
      continue;
    }
    if (matched == 0) front = from;
    else skipped += from - next;
    if (run < most_runs) memcpy(runs[run], (size_t[3]){from, at, 0}, sizeof runs[run]);
    run += 1;
    next = from;
    follows = 1;
  }
  printf("matched=%zu skipped=%zu front=%zu behind=%zu foreign=%zu, the first at %zu of %zu; runs:", matched, skipped,
    front, expected.frames - next, foreign, first, recorded.frames);
  for (size_t told = 0; told < run && told < most_runs; told += 1)
    printf(" %zu@%zu+%zu", runs[told][0], runs[told][1], runs[told][2]);
  puts("");
  return 0;
}
