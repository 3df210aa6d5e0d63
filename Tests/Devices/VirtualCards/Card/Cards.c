// SPDX-License-Identifier: Apache-2.0
// The cards that this process has opened, by their folders, and their logs.
#include "Card.h"

#include <errno.h>
#include <fcntl.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

static pthread_mutex_t cards_lock = PTHREAD_MUTEX_INITIALIZER;
static struct card *cards;

const char *stream_name(const struct stream *stream) {
  return stream->direction == SND_PCM_STREAM_CAPTURE ? "capture" : "playback";
}

static void discard(struct card *card) {
  if (card->log >= 0) close(card->log);
  for (int index = 0; index < STREAMS; index++) free(card->streams[index].source_path);
  free(card->folder);
  free(card);
}

static int make(const char *folder, struct card **made) {
  struct card *card = calloc(1, sizeof *card);
  if (!card) return -ENOMEM;
  pthread_mutex_init(&card->lock, NULL);
  card->folder = strdup(folder);
  for (int index = 0; index < STREAMS; index++) {
    card->streams[index].card = card;
    card->streams[index].direction = (snd_pcm_stream_t)index;
    card->streams[index].file = -1;
  }
  char path[4096];
  snprintf(path, sizeof path, "%s/log", folder);
  card->log = open(path, O_WRONLY | O_CREAT | O_APPEND | O_CLOEXEC, 0644);
  int error = card->folder ? card->log < 0 ? -errno : card_read_settings(card) : -ENOMEM;
  if (error < 0) {
    discard(card);
    return error;
  }
  *made = card;
  return 0;
}

int card_find(const char *folder, struct card **found) {
  pthread_mutex_lock(&cards_lock);
  struct card *card = cards;
  while (card && strcmp(card->folder, folder) != 0) card = card->next;
  int error = 0;
  if (!card && (error = make(folder, &card)) == 0) {
    card->next = cards;
    cards = card;
  }
  pthread_mutex_unlock(&cards_lock);
  *found = card;
  return error;
}

void card_log(struct card *card, const char *format, ...) {
  char line[512];
  va_list arguments;
  va_start(arguments, format);
  int length = vsnprintf(line, sizeof line - 1, format, arguments);
  va_end(arguments);
  if (length < 0) return;
  if (length > (int)sizeof line - 2) length = (int)sizeof line - 2;
  line[length++] = '\n';
  if (write(card->log, line, (size_t)length) < 0) return;
}
