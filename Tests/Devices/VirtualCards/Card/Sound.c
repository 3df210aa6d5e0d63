// SPDX-License-Identifier: Apache-2.0
// What a stream captures, and what becomes of what it plays.
//
// Each frame stands for its position: a file is read and written there, and the ramp is a count of it, so that whatever
// was lost, repeated or moved is seen in the samples.
#include "Card.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

// Makes ready for the format and the ring that were agreed on.
int stream_begin_sound(struct stream *stream) {
  stream_end_sound(stream);
  int bits = snd_pcm_format_physical_width(stream->io.format);
  if (bits < 8) return -EINVAL;
  stream->frame_bytes = (size_t)bits / 8 * stream->io.channels;
  stream->frames = calloc(stream->io.buffer_size, stream->frame_bytes);
  if (!stream->frames) return -ENOMEM;
  if (stream->direction == SND_PCM_STREAM_PLAYBACK) {
    char path[4096];
    snprintf(path, sizeof path, "%s/played", stream->card->folder);
    stream->file = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0644);
  } else if (stream->source == RAW_FILE) {
    stream->file = open(stream->source_path, O_RDONLY | O_CLOEXEC);
  } else {
    return 0;
  }
  return stream->file < 0 ? -errno : 0;
}

void stream_end_sound(struct stream *stream) {
  if (stream->file >= 0) close(stream->file);
  stream->file = -1;
  free(stream->frames);
  stream->frames = NULL;
}

// One sample of the ramp: a count in as many bits as the format has, 24 of the wider ones, scaled to the full range.
static bool put_ramp(char *place, snd_pcm_format_t format, uint64_t count) {
  uint32_t low = (uint32_t)count & 0xffffff;
  int32_t value = (int32_t)(low << 8) >> 8;
  int32_t high = (int32_t)(low << 8);
  int16_t narrow = (int16_t)(uint16_t)count;
  float real = (float)value / 8388608;
  switch ((int)format) {
    case SND_PCM_FORMAT_S16_LE: memcpy(place, &narrow, 2); return true;
    case SND_PCM_FORMAT_S24_LE: memcpy(place, &value, 4); return true;
    case SND_PCM_FORMAT_S24_3LE: memcpy(place, &value, 3); return true;
    case SND_PCM_FORMAT_S32_LE: memcpy(place, &high, 4); return true;
    case SND_PCM_FORMAT_FLOAT_LE: memcpy(place, &real, 4); return true;
    default: return false;
  }
}

static void generate(struct stream *stream, int64_t position, int64_t count) {
  size_t samples = (size_t)count * stream->io.channels;
  size_t width = stream->frame_bytes / stream->io.channels;
  snd_pcm_format_set_silence(stream->io.format, stream->frames, (unsigned)samples);
  if (stream->source != RAMP) return;
  for (size_t sample = 0; sample < samples; sample++) {
    uint64_t frame = (uint64_t)position + sample / stream->io.channels;
    uint64_t channel = sample % stream->io.channels;
    if (!put_ramp(stream->frames + sample * width, stream->io.format, frame + channel * 4096)) return;
  }
}

// What the file does not hold is silence.
static void read_file(struct stream *stream, int64_t position, int64_t count) {
  generate(stream, position, count);
  size_t bytes = (size_t)count * stream->frame_bytes;
  size_t done = 0;
  while (done < bytes) {
    off_t place = (off_t)position * (off_t)stream->frame_bytes + (off_t)done;
    ssize_t got = pread(stream->file, stream->frames + done, bytes - done, place);
    if (got <= 0) break;
    done += (size_t)got;
  }
}

static void write_file(struct stream *stream, int64_t position, int64_t count) {
  size_t bytes = (size_t)count * stream->frame_bytes;
  off_t place = (off_t)position * (off_t)stream->frame_bytes;
  if (pwrite(stream->file, stream->frames, bytes, place) != (ssize_t)bytes) {
    card_log(stream->card, "playback unwritten %lld", (long long)position);
  }
}

// Runs of frames that lie in one piece in the ring.
static int64_t run_length(const struct stream *stream, int64_t from, int64_t to) {
  int64_t ring = (int64_t)stream->io.buffer_size;
  int64_t piece = ring - from % ring;
  return piece < to - from ? piece : to - from;
}

// The frames that were moved before the stream's `moved`, from one count to another, come from the source.
void stream_capture(struct stream *stream, int64_t from, int64_t to) {
  const snd_pcm_channel_area_t *ring = snd_pcm_ioplug_mmap_areas(&stream->io);
  while (from < to) {
    int64_t count = run_length(stream, from, to);
    if (stream->source == RAW_FILE) {
      read_file(stream, stream->begun + from, count);
    } else {
      generate(stream, stream->begun + from, count);
    }
    snd_pcm_channel_area_t areas[stream->io.channels];
    for (unsigned channel = 0; channel < stream->io.channels; channel++) {
      unsigned bits = (unsigned)(stream->frame_bytes * 8);
      areas[channel] = (snd_pcm_channel_area_t){stream->frames, channel * bits / stream->io.channels, bits};
    }
    snd_pcm_uframes_t place = (snd_pcm_uframes_t)from % stream->io.buffer_size;
    snd_pcm_areas_copy(ring, place, areas, 0, stream->io.channels, (snd_pcm_uframes_t)count, stream->io.format);
    from += count;
  }
}

void stream_play(struct stream *stream, int64_t from, int64_t to) {
  const snd_pcm_channel_area_t *ring = snd_pcm_ioplug_mmap_areas(&stream->io);
  while (from < to) {
    int64_t count = run_length(stream, from, to);
    snd_pcm_channel_area_t areas[stream->io.channels];
    for (unsigned channel = 0; channel < stream->io.channels; channel++) {
      unsigned bits = (unsigned)(stream->frame_bytes * 8);
      areas[channel] = (snd_pcm_channel_area_t){stream->frames, channel * bits / stream->io.channels, bits};
    }
    snd_pcm_uframes_t place = (snd_pcm_uframes_t)from % stream->io.buffer_size;
    snd_pcm_areas_copy(areas, 0, ring, place, stream->io.channels, (snd_pcm_uframes_t)count, stream->io.format);
    write_file(stream, stream->begun + from, count);
    from += count;
  }
}
