// SPDX-License-Identifier: Apache-2.0
// Moves the streams of a card up to the present: frames, xruns and faults, in the order in which they happen.
#include "Card.h"

int64_t stream_position(const struct stream *stream) { return stream->begun + stream->moved; }

// Frames that the program can transfer: to be read, or room to be written to.
int64_t stream_available(const struct stream *stream) {
  int64_t programs = (int64_t)stream->io.appl_ptr;
  if (stream->direction == SND_PCM_STREAM_CAPTURE) return stream->moved - programs;
  return (int64_t)stream->io.buffer_size - (programs - stream->moved);
}

// Available frames that stop the stream.
int64_t stream_end(const struct stream *stream) {
  return stream->io.state == SND_PCM_STATE_DRAINING ? (int64_t)stream->io.buffer_size : stream->stop;
}

// Available frames that end a wait for it.
int64_t stream_wanted(const struct stream *stream) {
  if (stream->io.state == SND_PCM_STATE_DRAINING) return (int64_t)stream->io.buffer_size;
  return stream->early ? stream->early : stream->wake;
}

// Whether a wait for the stream ends, be it with an error.
bool stream_is_ready(const struct stream *stream) {
  if (stream->is_frozen) return false;
  switch (stream->io.state) {
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_PREPARED:
    case SND_PCM_STATE_DRAINING:
      return stream_available(stream) >= stream_wanted(stream);
    default:
      return true;
  }
}

static void transfer(struct stream *stream, int64_t frames) {
  int64_t to = stream->moved + frames;
  // Who lets a stream run on past its end hears or plays the ring as it is: older rounds are gone.
  int64_t ring = (int64_t)stream->io.buffer_size;
  int64_t from = frames > ring ? to - ring : stream->moved;
  if (stream->direction == SND_PCM_STREAM_CAPTURE) {
    stream_capture(stream, from, to);
  } else {
    stream_play(stream, from, to);
  }
  stream->moved = to;
}

// Moves a stream to a position, or to where it stops before.
static void advance(struct stream *stream, int64_t position) {
  int64_t left = stream_end(stream) - stream_available(stream);
  int64_t frames = position - stream_position(stream);
  if (frames < left) {
    transfer(stream, frames);
    return;
  }
  transfer(stream, left > 0 ? left : 0);
  stream->is_running = false;
  if (stream->io.state == SND_PCM_STATE_DRAINING) return;
  bool is_capture = stream->direction == SND_PCM_STREAM_CAPTURE;
  card_log(stream->card, "%s %s %lld", stream_name(stream), is_capture ? "overrun" : "underrun",
           (long long)stream_position(stream));
  snd_pcm_ioplug_set_state(&stream->io, SND_PCM_STATE_XRUN);
}

void card_update(struct card *card) {
  for (;;) {
    // The stream whose next fault comes first goes no further than to it, nor does the other.
    nanoseconds time = card_now(card);
    struct stream *victim = NULL;
    struct fault *fault = NULL;
    for (int index = 0; index < STREAMS; index++) {
      struct stream *stream = &card->streams[index];
      if (!stream->is_open || !stream->is_running || stream->is_frozen) continue;
      struct fault *next = stream_next_fault(stream);
      if (!next || stream_time_at(stream, next->position) > time) continue;
      time = stream_time_at(stream, next->position);
      victim = stream;
      fault = next;
    }
    for (int index = 0; index < STREAMS; index++) {
      struct stream *stream = &card->streams[index];
      if (!stream->is_open || !stream->is_running || stream->is_frozen) continue;
      int64_t position = stream == victim ? fault->position : stream_position_at(stream, time);
      if (position > stream_position(stream)) advance(stream, position);
    }
    if (!fault) return;
    if (victim->is_running) stream_suffer(victim, fault);
  }
}
