// SPDX-License-Identifier: Apache-2.0
// Time: the computer's own, or one that a program's waiting moves; and the timer that ends a wait.
#include "Card.h"

#include <errno.h>
#include <sys/timerfd.h>
#include <time.h>

enum { SECOND = 1000000000, MILLION = 1000000 };

nanoseconds card_now(const struct card *card) {
  if (card->pace == FREE) return card->free_now;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (nanoseconds)now.tv_sec * SECOND + now.tv_nsec;
}

// Lets time pass.
void card_pass_to(struct card *card, nanoseconds time) {
  if (card->pace == FREE) {
    if (time > card->free_now) card->free_now = time;
    return;
  }
  struct timespec end = {.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
  while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &end, NULL) == EINTR) {}
}

// Frames in a second, times a million.
static __int128 speed(const struct stream *stream) {
  return (__int128)stream->io.rate * (MILLION + stream->drift);
}

int64_t stream_position_at(const struct stream *stream, nanoseconds time) {
  return (int64_t)((time - stream->origin) * speed(stream) / ((__int128)SECOND * MILLION));
}

// The first time at which the stream is there.
nanoseconds stream_time_at(const struct stream *stream, int64_t position) {
  __int128 frames = (__int128)position * SECOND * MILLION;
  return stream->origin + (nanoseconds)((frames + speed(stream) - 1) / speed(stream));
}

static bool moves(const struct stream *stream) {
  return stream->is_open && stream->is_running && !stream->is_frozen;
}

// When a running stream stops or a fault befalls it.
static nanoseconds next_event(const struct stream *stream) {
  if (!moves(stream)) return NEVER;
  int64_t missing = stream_end(stream) - stream_available(stream);
  int64_t position = stream_position(stream) + (missing > 1 ? missing : 1);
  const struct fault *fault = stream_next_fault(stream);
  if (fault && fault->position < position) position = fault->position;
  return stream_time_at(stream, position);
}

// When the card is unplugged or suspended as the stream gets to the fault.
static nanoseconds end_of_all(const struct stream *stream) {
  if (!moves(stream)) return NEVER;
  const struct fault *fault = stream_next_fault(stream);
  return fault && fault_is_whole(fault) ? stream_time_at(stream, fault->position) : NEVER;
}

static nanoseconds readiness(const struct stream *stream) {
  if (!moves(stream) || stream_is_ready(stream)) return NEVER;
  return stream_time_at(stream, stream_position(stream) + stream_wanted(stream) - stream_available(stream));
}

static nanoseconds earlier(nanoseconds one, nanoseconds other) { return one < other ? one : other; }

nanoseconds card_next_wake(const struct card *card) {
  nanoseconds next = NEVER;
  for (int index = 0; index < STREAMS; index++) {
    next = earlier(next, next_event(&card->streams[index]));
    next = earlier(next, readiness(&card->streams[index]));
  }
  return next;
}

// Lets the stream's file descriptor become readable when a wait is to end: at once, in time, or never.
void stream_arm(struct stream *stream) {
  if (!stream->is_open) return;
  nanoseconds time = NEVER;
  if (stream_is_ready(stream)) {
    time = 1;
  } else {
    time = earlier(next_event(stream), readiness(stream));
    for (int index = 0; index < STREAMS; index++) time = earlier(time, end_of_all(&stream->card->streams[index]));
    if (stream->card->pace != REAL && time != NEVER) time = 1;
  }
  struct itimerspec timer = {0};
  if (time != NEVER) timer.it_value = (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
  timerfd_settime(stream->io.poll_fd, TFD_TIMER_ABSTIME, &timer, NULL);
}
