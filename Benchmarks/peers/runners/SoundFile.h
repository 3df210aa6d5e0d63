// SPDX-License-Identifier: Apache-2.0

#ifndef LEGATO_PEERS_SOUND_FILE_H
#define LEGATO_PEERS_SOUND_FILE_H

#include <sndfile.h>
#include <stdlib.h>

// Renders a stereo file as a careful C program does: libsndfile's loop, a few thousand frames at a time.

enum { sound_chunk = 4096, sound_channels = 2 };

typedef void (*sound_body)(void *context, size_t frames);

/// Reads chunks into the rows of the inputs, lets the body compute the outputs, and writes them. Returns what went
/// wrong, or nothing.
static inline const char *sound_render(
    const char *from, const char *to, float *const *inputs, float *const *outputs, sound_body body, void *context) {
  static float samples[sound_chunk * sound_channels];
  SF_INFO info = {};
  SNDFILE *source = sf_open(from, SFM_READ, &info);
  if (!source || info.channels != sound_channels) return "the input is no stereo file that can be read";
  SNDFILE *target = sf_open(to, SFM_WRITE, &info);
  if (!target) return "the output cannot be written";
  sf_count_t frames, written = 0, read = 0;
  while ((frames = sf_readf_float(source, samples, sound_chunk)) > 0) {
    for (int channel = 0; channel < sound_channels; channel++) {
      for (sf_count_t i = 0; i < frames; i++) inputs[channel][i] = samples[i * sound_channels + channel];
    }
    body(context, (size_t)frames);
    for (int channel = 0; channel < sound_channels; channel++) {
      for (sf_count_t i = 0; i < frames; i++) samples[i * sound_channels + channel] = outputs[channel][i];
    }
    read += frames;
    written += sf_writef_float(target, samples, frames);
  }
  sf_close(source);
  return sf_close(target) || written != read ? "the output cannot be written" : NULL;
}

#endif
