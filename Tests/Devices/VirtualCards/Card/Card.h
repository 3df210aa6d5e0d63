// SPDX-License-Identifier: Apache-2.0
// A sound card that is a folder: a plugin of alsa-lib, paced by a clock, that fails when its script says so.
//
//     FOLDER/card      what the card can do and when it fails: read when the card is first opened
//     FOLDER/played    what was played, raw, each frame at its position
//     FOLDER/log       what the program did and what befell it, one line each
//
//     source ─▶ ring of the capture stream ─▶ the program ─▶ ring of the playback stream ─▶ FOLDER/played
//                       ▲                                              ▲
//                    its clock                                      its clock
//
// The position of a stream is a count of frames of its own clock. It is 0 when the stream first starts, and goes on
// whether or not the stream runs: it tells how many frames a program lost. A card lives as long as the process.
//
// A line of FOLDER/card is a comment that begins with '#', or one of these. Each holds for both streams, or for the one
// that is named before it: `capture rates 44100`.
//
//     rates 44100 48000                    a list, or a range: 8000..192000
//     formats S16_LE FLOAT_LE              a list, in alsa-lib's names
//     channels 1..8
//     access rw-interleaved rw-planar mmap-interleaved mmap-planar
//     period-bytes 64..262144
//     buffer-bytes 128..1048576
//     periods 2..64
//     drift -50                            the clock, in parts per million off the nominal rate
//     busy 2                               the first 2 attempts to open it find it busy
//     source ramp                          what is captured; otherwise: silence, or file PATH (raw, then silence)
//     at 48000 xrun                        a fault at a position; the position may be 0
//
// and, without a stream before it,
//
//     pace real                            the computer's clock; with `pace free` time passes only where a program
//                                          polls, and nothing is ready or was transferred since it polled before: on
//                                          to the next point where a stream is, or stops; who polls one of two
//                                          streams may find that the other's point came first, and poll again; with
//                                          `pace slept` it sleeps there instead, on the computer's clock: for a program
//                                          that stands before the clock and before its sleep
//
// Faults:
//
//     xrun           the stream stops with an xrun
//     refuse 2       the same, and the next 2 attempts to prepare it fail
//     freeze         the position stands still from here on, and no wait ends: the server was killed, or never started
//     early 100      the next wait ends as soon as 100 frames can be transferred
//     stall 500      the program is stopped for 500 ms, as by a signal; the card goes on
//     unplug         the card is gone for good; with a number, that many attempts to open it fail until it is back
//     suspend        the card is suspended; with a number, that many attempts to resume leave it so; `suspend forever`:
//                    all do, and only preparing it helps. Its clocks stand still meanwhile.
//
// The last two befall both streams, as soon as one of those that the line is for gets there; the others each stream
// that the line is for, once.
//
// What alsa-lib's plugins cannot do, this card cannot: its streams cannot be linked, and snd_pcm_resume returns 0 even
// where it leaves the stream suspended.
#pragma once

#define PIC 1
#include <alsa/asoundlib.h>
#include <alsa/pcm_external.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

typedef int64_t nanoseconds;
#define NEVER INT64_MAX

enum { MOST_CHOICES = 32, MOST_FAULTS = 64, STREAMS = 2 };

// The values that one of the plugin's parameters may take.
struct choice {
  bool is_range;
  unsigned count;
  unsigned values[MOST_CHOICES];
};

enum fault_kind { XRUN, REFUSE, FREEZE, EARLY, STALL, UNPLUG, SUSPEND };

struct fault {
  enum fault_kind kind;
  int64_t position;
  int64_t amount;
  // The streams that it is still to befall, a bit each.
  unsigned pending;
};

// Whether time passes by itself, where a program polls, or where the card sleeps because a program polls.
enum pace { REAL, FREE, SLEPT };

enum source_kind { RAMP, SILENCE, RAW_FILE };

struct stream {
  struct card *card;
  snd_pcm_stream_t direction;

  // What it can do: by the plugin's number of the parameter.
  struct choice choices[SND_PCM_IOPLUG_HW_PARAMS];
  int64_t drift;
  int64_t busy;
  enum source_kind source;
  char *source_path;

  // Where it is.
  bool was_started;
  nanoseconds origin;  // when its position was 0
  int64_t begun;       // the position where this run began
  int64_t moved;       // frames since then: what alsa-lib calls the hardware pointer

  // How it is open.
  bool is_open;
  snd_pcm_ioplug_t io;
  int file;
  char *frames;  // a ring's worth, interleaved
  size_t frame_bytes;
  int64_t wake;       // frames that end a wait
  int64_t stop;       // frames that are an xrun
  int64_t early;      // frames that end the next wait; 0: as usual
  snd_pcm_uframes_t polled_at;  // what the program had transferred when it polled last
  bool is_running;
  bool is_frozen;
  int64_t refusals;  // attempts to prepare it that still fail
  snd_pcm_state_t suspended_in;
};

struct card {
  struct card *next;
  char *folder;
  pthread_mutex_t lock;
  enum pace pace;
  nanoseconds free_now;
  struct stream streams[STREAMS];
  unsigned fault_count;
  struct fault faults[MOST_FAULTS];

  bool is_unplugged;
  int64_t absences;  // attempts to open it that still fail
  bool is_suspended;
  nanoseconds suspended_at;
  int64_t resumes;  // attempts to resume it that still fail
  int log;
};

// Settings.c: reads FOLDER/card; says what is wrong with it.
int card_read_settings(struct card *card);

// Cards.c: the card of a folder, made when it is first asked for.
int card_find(const char *folder, struct card **found);
void card_log(struct card *card, const char *format, ...) __attribute__((format(printf, 2, 3)));
const char *stream_name(const struct stream *stream);

// Clock.c: time, and a stream's position in it.
nanoseconds card_now(const struct card *card);
void card_pass_to(struct card *card, nanoseconds time);
int64_t stream_position_at(const struct stream *stream, nanoseconds time);
nanoseconds stream_time_at(const struct stream *stream, int64_t position);
nanoseconds card_next_wake(const struct card *card);
void stream_arm(struct stream *stream);

// Sound.c: the frames of a stream's ring between two counts of `moved`.
int stream_begin_sound(struct stream *stream);
void stream_end_sound(struct stream *stream);
void stream_capture(struct stream *stream, int64_t from, int64_t to);
void stream_play(struct stream *stream, int64_t from, int64_t to);

// Motion.c: what happens up to a time.
int64_t stream_position(const struct stream *stream);
int64_t stream_available(const struct stream *stream);
int64_t stream_end(const struct stream *stream);
int64_t stream_wanted(const struct stream *stream);
bool stream_is_ready(const struct stream *stream);
void card_update(struct card *card);

// Faults.c
struct fault *stream_next_fault(const struct stream *stream);
bool fault_is_whole(const struct fault *fault);
void card_end_suspension(struct card *card);
void stream_suffer(struct stream *stream, struct fault *fault);
