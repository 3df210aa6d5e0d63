// SPDX-License-Identifier: Apache-2.0
// The door to alsa-lib: what it calls when a program uses the card.
#include "Card.h"

#include <errno.h>
#include <poll.h>
#include <string.h>
#include <sys/timerfd.h>
#include <unistd.h>

static struct stream *enter(snd_pcm_ioplug_t *io) {
  struct stream *stream = io->private_data;
  pthread_mutex_lock(&stream->card->lock);
  return stream;
}

static int leave(struct stream *stream, int result) {
  pthread_mutex_unlock(&stream->card->lock);
  return result;
}

static int64_t bounded(snd_pcm_uframes_t frames) {
  // More than a year: never, and small enough to count with.
  const snd_pcm_uframes_t most = (snd_pcm_uframes_t)1 << 40;
  return (int64_t)(frames < most ? frames : most);
}

static int set_hardware(snd_pcm_ioplug_t *io, snd_pcm_hw_params_t *parameters) {
  (void)parameters;
  struct stream *stream = enter(io);
  if (stream->card->is_unplugged) return leave(stream, -ENODEV);
  stream->wake = (int64_t)io->period_size;
  stream->stop = (int64_t)io->buffer_size;
  card_log(stream->card, "%s set %s %u channels %u Hz period %lu buffer %lu %s", stream_name(stream),
           snd_pcm_format_name(io->format), io->channels, io->rate, io->period_size, io->buffer_size,
           snd_pcm_access_name(io->access));
  return leave(stream, stream_begin_sound(stream));
}

static int set_software(snd_pcm_ioplug_t *io, snd_pcm_sw_params_t *parameters) {
  snd_pcm_uframes_t wake, stop;
  snd_pcm_sw_params_get_avail_min(parameters, &wake);
  snd_pcm_sw_params_get_stop_threshold(parameters, &stop);
  struct stream *stream = enter(io);
  stream->wake = bounded(wake);
  stream->stop = bounded(stop);
  return leave(stream, 0);
}

static int prepare(snd_pcm_ioplug_t *io) {
  struct stream *stream = enter(io);
  if (stream->card->is_unplugged) return leave(stream, -ENODEV);
  if (stream->refusals > 0) {
    stream->refusals--;
    return leave(stream, -EIO);
  }
  if (io->state == SND_PCM_STATE_SUSPENDED) card_end_suspension(stream->card);
  stream->is_running = false;
  stream->moved = 0;
  stream->early = 0;
  stream->polled_at = (snd_pcm_uframes_t)-1;
  card_log(stream->card, "%s prepare", stream_name(stream));
  return leave(stream, 0);
}

static int start(snd_pcm_ioplug_t *io) {
  struct stream *stream = enter(io);
  if (stream->card->is_unplugged) return leave(stream, -ENODEV);
  nanoseconds now = card_now(stream->card);
  if (!stream->was_started) stream->origin = now;
  stream->was_started = true;
  stream->begun = stream_position_at(stream, now);
  stream->is_running = true;
  card_log(stream->card, "%s start %lld", stream_name(stream), (long long)stream->begun);
  for (int index = 0; index < STREAMS; index++) stream_arm(&stream->card->streams[index]);
  return leave(stream, 0);
}

static int stop(snd_pcm_ioplug_t *io) {
  struct stream *stream = enter(io);
  stream->is_running = false;
  card_log(stream->card, "%s stop %lld", stream_name(stream), (long long)stream_position(stream));
  return leave(stream, 0);
}

static snd_pcm_sframes_t pointer(snd_pcm_ioplug_t *io) {
  struct stream *stream = enter(io);
  card_update(stream->card);
  snd_pcm_sframes_t frames = io->state == SND_PCM_STATE_XRUN ? -EPIPE : (snd_pcm_sframes_t)stream->moved;
  leave(stream, 0);
  return frames;
}

// What alsa-lib gives its caller is 0, whatever this returns.
static int resume(snd_pcm_ioplug_t *io) {
  struct stream *stream = enter(io);
  struct card *card = stream->card;
  if (io->state != SND_PCM_STATE_SUSPENDED) return leave(stream, -EBADFD);
  bool fails = card->resumes > 0;
  card_log(card, "%s resume %lld %s", stream_name(stream), (long long)stream_position(stream),
           fails ? "fails" : "works");
  if (fails) {
    if (card->resumes != INT64_MAX) card->resumes--;
    return leave(stream, -EAGAIN);
  }
  card_end_suspension(card);
  stream->is_running = stream->suspended_in != SND_PCM_STATE_PREPARED;
  if (stream->is_running) stream->begun = stream_position_at(stream, card_now(card)) - stream->moved;
  snd_pcm_ioplug_set_state(io, stream->suspended_in);
  stream_arm(stream);
  return leave(stream, 0);
}

static int describe_wait(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned room) {
  if (room < 1) return 0;
  struct stream *stream = enter(io);
  card_update(stream->card);
  stream_arm(stream);
  descriptors[0] = (struct pollfd){.fd = io->poll_fd, .events = POLLIN};
  return leave(stream, 1);
}

static int count_descriptors(snd_pcm_ioplug_t *io) {
  (void)io;
  return 1;
}

static unsigned short events(const struct stream *stream) {
  unsigned short transfer = stream->direction == SND_PCM_STREAM_CAPTURE ? POLLIN : POLLOUT;
  if (!stream_is_ready(stream)) return 0;
  switch (stream->io.state) {
    case SND_PCM_STATE_RUNNING:
    case SND_PCM_STATE_PREPARED:
    case SND_PCM_STATE_DRAINING:
      return transfer;
    case SND_PCM_STATE_DISCONNECTED:
      return POLLERR | POLLNVAL;
    default:
      return transfer | POLLERR;
  }
}

static int end_wait(snd_pcm_ioplug_t *io, struct pollfd *descriptors, unsigned count, unsigned short *result) {
  struct stream *stream = enter(io);
  struct card *card = stream->card;
  card_update(card);
  // Who polls a stream that is ready, again and again, waits, too.
  bool waits = !stream_is_ready(stream) || stream->io.appl_ptr == stream->polled_at;
  stream->polled_at = stream->io.appl_ptr;
  if (card->pace != REAL && count > 0 && descriptors[0].revents && waits) {
    nanoseconds next = card_next_wake(card);
    if (next != NEVER) card_pass_to(card, next);
    card_update(card);
  }
  *result = events(stream);
  // Whom a whole period awaits does not wake early.
  if (stream_available(stream) < stream->wake && *result) stream->early = 0;
  stream_arm(stream);
  return leave(stream, 0);
}

static int close_stream(snd_pcm_ioplug_t *io) {
  struct stream *stream = enter(io);
  stream->is_open = false;
  stream->is_running = false;
  stream_end_sound(stream);
  close(io->poll_fd);
  card_log(stream->card, "%s close", stream_name(stream));
  return leave(stream, 0);
}

static const snd_pcm_ioplug_callback_t callbacks = {
    .start = start,
    .stop = stop,
    .pointer = pointer,
    .close = close_stream,
    .hw_params = set_hardware,
    .sw_params = set_software,
    .prepare = prepare,
    .resume = resume,
    .poll_descriptors_count = count_descriptors,
    .poll_descriptors = describe_wait,
    .poll_revents = end_wait,
};

static int constrain(struct stream *stream) {
  int error = 0;
  for (int parameter = 0; error >= 0 && parameter < SND_PCM_IOPLUG_HW_PARAMS; parameter++) {
    const struct choice *choice = &stream->choices[parameter];
    error = choice->is_range
                ? snd_pcm_ioplug_set_param_minmax(&stream->io, parameter, choice->values[0], choice->values[1])
                : snd_pcm_ioplug_set_param_list(&stream->io, parameter, choice->count, choice->values);
  }
  return error;
}

// Why the stream cannot be opened at this time.
static int refusal(struct stream *stream) {
  struct card *card = stream->card;
  if (card->is_unplugged) {
    if (card->absences > 0) {
      if (card->absences != INT64_MAX) card->absences--;
      return -ENODEV;
    }
    card->is_unplugged = false;
  }
  if (stream->is_open) return -EBUSY;
  if (stream->busy > 0) {
    stream->busy--;
    return -EBUSY;
  }
  return 0;
}

static int open_stream(struct stream *stream, const char *name, int mode) {
  memset(&stream->io, 0, sizeof stream->io);
  stream->moved = stream->begun = stream->early = 0;
  stream->is_running = stream->is_frozen = false;
  stream->refusals = 0;
  stream->io.version = SND_PCM_IOPLUG_VERSION;
  stream->io.name = "Legato's virtual card";
  stream->io.flags = SND_PCM_IOPLUG_FLAG_MONOTONIC | SND_PCM_IOPLUG_FLAG_BOUNDARY_WA;
  stream->io.callback = &callbacks;
  stream->io.private_data = stream;
  stream->io.mmap_rw = 1;
  stream->io.poll_events = POLLIN;
  stream->io.poll_fd = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
  if (stream->io.poll_fd < 0) return -errno;
  int error = snd_pcm_ioplug_create(&stream->io, name, stream->direction, mode);
  if (error < 0) {
    close(stream->io.poll_fd);
    return error;
  }
  stream->is_open = true;
  return 0;
}

static int read_definition(snd_config_t *definition, const char **folder, const char **only) {
  snd_config_iterator_t entry, next;
  snd_config_for_each(entry, next, definition) {
    snd_config_t *field = snd_config_iterator_entry(entry);
    const char *id;
    if (snd_config_get_id(field, &id) < 0) continue;
    if (strcmp(id, "type") == 0 || strcmp(id, "comment") == 0 || strcmp(id, "hint") == 0) continue;
    const char **text = strcmp(id, "folder") == 0 ? folder : strcmp(id, "only") == 0 ? only : NULL;
    if (!text || snd_config_get_string(field, text) < 0) {
      SNDERR("a virtual card has a folder, and perhaps only one stream, but no '%s'", id);
      return -EINVAL;
    }
  }
  if (*folder) return 0;
  SNDERR("a virtual card has to have a folder");
  return -EINVAL;
}

SND_PCM_PLUGIN_DEFINE_FUNC(legatocard) {
  (void)root;
  const char *folder = NULL, *only = NULL;
  struct card *card;
  int error = read_definition(conf, &folder, &only);
  if (error < 0 || (error = card_find(folder, &card)) < 0) return error;
  struct stream *opened = &card->streams[stream];
  if (only && strcmp(only, stream_name(opened)) != 0) return -ENOENT;
  pthread_mutex_lock(&card->lock);
  error = refusal(opened);
  card_log(card, "%s open %s", stream_name(opened), error < 0 ? snd_strerror(error) : "works");
  if (error == 0) error = open_stream(opened, name, mode);
  pthread_mutex_unlock(&card->lock);
  if (error < 0) return error;
  if ((error = constrain(opened)) < 0) {
    snd_pcm_ioplug_delete(&opened->io);
    return error;
  }
  *pcmp = opened->io.pcm;
  return 0;
}
SND_PCM_PLUGIN_SYMBOL(legatocard)
