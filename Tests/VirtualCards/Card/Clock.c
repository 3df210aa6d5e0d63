// SPDX-License-Identifier: Apache-2.0
// Time: the computer's own, or one that a program's waiting moves; and the timer that ends a wait.
#include "Card.h"

#include <sys/timerfd.h>
#include <time.h>

enum { SECOND = 1000000000, MILLION = 1000000 };

nanoseconds card_now(const struct card *card) {
  if (card->is_free) return card->free_now;
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (nanoseconds)now.tv_sec * SECOND + now.tv_nsec;
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

// The next time at which something happens to a running stream that may be waited for.
static nanoseconds next_event(const struct stream *stream) {
  if (!stream->is_open || !stream->is_running || stream->is_frozen) return NEVER;
  int64_t missing = stream_end(stream) - stream_available(stream);
  int64_t position = stream_position(stream) + (missing > 1 ? missing : 1);
  const struct fault *fault = stream_next_fault(stream);
  if (fault && fault->position < position) position = fault->position;
  return stream_time_at(stream, position);
}

static nanoseconds readiness(const struct stream *stream) {
  if (!stream->is_open || !stream->is_running || stream->is_frozen || stream_is_ready(stream)) return NEVER;
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
    // What befalls one stream may befall the other.
    for (int index = 0; index < STREAMS; index++) time = earlier(time, next_event(&stream->card->streams[index]));
    time = earlier(time, readiness(stream));
    if (stream->card->is_free && time != NEVER) time = 1;
  }
  struct itimerspec timer = {0};
  if (time != NEVER) timer.it_value = (struct timespec){.tv_sec = time / SECOND, .tv_nsec = time % SECOND};
  timerfd_settime(stream->io.poll_fd, TFD_TIMER_ABSTIME, &timer, NULL);
}
