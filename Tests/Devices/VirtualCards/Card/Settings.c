// SPDX-License-Identifier: Apache-2.0
// Reads FOLDER/card, which Card.h describes. A mistake is said with its line, through alsa-lib's error handler.
#include "Card.h"

#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct reader {
  struct card *card;
  const char *path;
  int line;
  char *rest;
  unsigned streams;  // that the line is for, a bit each
};

static int wrong(const struct reader *reader, const char *format, ...) __attribute__((format(printf, 2, 3)));
static int wrong(const struct reader *reader, const char *format, ...) {
  char text[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(text, sizeof text, format, arguments);
  va_end(arguments);
  SNDERR("%s:%d: %s", reader->path, reader->line, text);
  return -EINVAL;
}

static const char *next_word(struct reader *reader) {
  char *word;
  do {
    word = strsep(&reader->rest, " \t\r\n");
  } while (word && !*word);
  return word;
}

static bool is_number(const char *word, int64_t least, int64_t most, int64_t *value) {
  if (!word || !*word || *word == ' ') return false;
  char *end;
  errno = 0;
  long long number = strtoll(word, &end, 10);
  *value = number;
  return !*end && errno == 0 && number >= least && number <= most;
}

static int read_number(struct reader *reader, const char *what, int64_t least, int64_t most, int64_t *value) {
  const char *word = next_word(reader);
  if (is_number(word, least, most, value)) return 0;
  return wrong(reader, "%s is a number from %lld to %lld, not '%s'", what, (long long)least, (long long)most,
               word ? word : "");
}

static bool is_access(const char *word, unsigned *value) {
  static const struct {
    const char *name;
    snd_pcm_access_t access;
  } names[] = {{"rw-interleaved", SND_PCM_ACCESS_RW_INTERLEAVED},
               {"rw-planar", SND_PCM_ACCESS_RW_NONINTERLEAVED},
               {"mmap-interleaved", SND_PCM_ACCESS_MMAP_INTERLEAVED},
               {"mmap-planar", SND_PCM_ACCESS_MMAP_NONINTERLEAVED}};
  for (size_t index = 0; index < sizeof names / sizeof *names; index++) {
    if (strcmp(word, names[index].name) != 0) continue;
    *value = names[index].access;
    return true;
  }
  return false;
}

static bool is_format(const char *word, unsigned *value) {
  snd_pcm_format_t format = snd_pcm_format_value(word);
  *value = (unsigned)format;
  return format != SND_PCM_FORMAT_UNKNOWN;
}

static bool is_plain(const char *word, unsigned *value) {
  int64_t number;
  bool fits = is_number(word, 1, INT32_MAX, &number);
  *value = (unsigned)number;
  return fits;
}

// A list of values, or of numbers a range.
static int read_choice(struct reader *reader, const char *key, int parameter,
                       bool (*is_value)(const char *, unsigned *)) {
  struct choice choice = {0};
  const char *word;
  while ((word = next_word(reader))) {
    char *dots = is_value == is_plain ? strstr(word, "..") : NULL;
    if (dots && choice.count == 0) {
      *dots = 0;
      choice.is_range = true;
      choice.count = 2;
      if (!is_plain(word, &choice.values[0]) || !is_plain(dots + 2, &choice.values[1]) ||
          choice.values[0] > choice.values[1]) {
        return wrong(reader, "%s: '%s..%s' is no range", key, word, dots + 2);
      }
    } else if (choice.is_range || choice.count == MOST_CHOICES) {
      return wrong(reader, "%s: '%s' is too much", key, word);
    } else if (!is_value(word, &choice.values[choice.count++])) {
      return wrong(reader, "%s: what is '%s'?", key, word);
    }
  }
  if (choice.count == 0) return wrong(reader, "%s: the values are missing", key);
  for (int index = 0; index < STREAMS; index++) {
    if (reader->streams & 1u << index) reader->card->streams[index].choices[parameter] = choice;
  }
  return 0;
}

static int read_source(struct reader *reader) {
  const char *word = next_word(reader);
  struct stream *stream = &reader->card->streams[SND_PCM_STREAM_CAPTURE];
  if (word && strcmp(word, "ramp") == 0) {
    stream->source = RAMP;
  } else if (word && strcmp(word, "silence") == 0) {
    stream->source = SILENCE;
  } else if (word && strcmp(word, "file") == 0) {
    char *path = reader->rest;
    if (!path || !*path) return wrong(reader, "source: the file's path is missing");
    stream->source = RAW_FILE;
    free(stream->source_path);
    stream->source_path = strdup(path);
    reader->rest = NULL;
  } else {
    return wrong(reader, "source: ramp, silence or file PATH, not '%s'", word ? word : "");
  }
  return 0;
}

static int read_pace(struct reader *reader) {
  const char *word = next_word(reader);
  if (reader->streams != (1u << STREAMS) - 1) return wrong(reader, "pace: both streams have one");
  static const char *const names[] = {[REAL] = "real", [FREE] = "free", [SLEPT] = "slept"};
  for (enum pace pace = REAL; word && pace <= SLEPT; pace++) {
    if (strcmp(word, names[pace]) != 0) continue;
    reader->card->pace = pace;
    return 0;
  }
  return wrong(reader, "pace: real, free or slept, not '%s'", word ? word : "");
}

static int read_fault(struct reader *reader) {
  // What each takes: nothing, a number, or a number that may be left out, of which `forever` is the largest.
  static const struct {
    const char *name;
    enum { NOTHING, NUMBER, PERHAPS } takes;
    int64_t least, otherwise;
  } kinds[] = {[XRUN] = {"xrun", NOTHING, 0, 0},  [REFUSE] = {"refuse", NUMBER, 1, 0}, [FREEZE] = {"freeze", NOTHING, 0, 0},
               [EARLY] = {"early", NUMBER, 1, 0}, [STALL] = {"stall", NUMBER, 1, 0},
               [UNPLUG] = {"unplug", PERHAPS, 0, INT64_MAX}, [SUSPEND] = {"suspend", PERHAPS, 0, 0}};
  struct card *card = reader->card;
  if (card->fault_count == MOST_FAULTS) return wrong(reader, "a script has at most %d faults", MOST_FAULTS);
  struct fault *fault = &card->faults[card->fault_count];
  int error = read_number(reader, "a position", 0, (int64_t)1 << 40, &fault->position);
  if (error < 0) return error;
  const char *word = next_word(reader);
  unsigned kind = 0;
  while (kind < sizeof kinds / sizeof *kinds && (!word || strcmp(word, kinds[kind].name) != 0)) kind++;
  if (kind == sizeof kinds / sizeof *kinds) return wrong(reader, "there is no fault '%s'", word ? word : "");
  fault->kind = (enum fault_kind)kind;
  fault->pending = reader->streams;
  fault->amount = kinds[kind].otherwise;
  if (kinds[kind].takes == NUMBER) {
    error = read_number(reader, kinds[kind].name, kinds[kind].least, 1000000, &fault->amount);
  } else if (kinds[kind].takes == PERHAPS && (word = next_word(reader))) {
    if (strcmp(word, "forever") == 0) {
      fault->amount = INT64_MAX;
    } else if (!is_number(word, kinds[kind].least, 1000000, &fault->amount)) {
      return wrong(reader, "%s: a number of attempts or 'forever', not '%s'", kinds[kind].name, word);
    }
  }
  if (error == 0) card->fault_count++;
  return error;
}

static int read_drift_or_busy(struct reader *reader, bool is_drift) {
  int64_t value;
  int error = is_drift ? read_number(reader, "drift", -500000, 500000, &value)
                       : read_number(reader, "busy", 0, 1000000, &value);
  for (int index = 0; error == 0 && index < STREAMS; index++) {
    if (!(reader->streams & 1u << index)) continue;
    struct stream *stream = &reader->card->streams[index];
    *(is_drift ? &stream->drift : &stream->busy) = value;
  }
  return error;
}

static int read_line(struct reader *reader) {
  static const struct {
    const char *key;
    int parameter;
    bool (*is_value)(const char *, unsigned *);
  } choices[] = {{"rates", SND_PCM_IOPLUG_HW_RATE, is_plain},
                 {"formats", SND_PCM_IOPLUG_HW_FORMAT, is_format},
                 {"channels", SND_PCM_IOPLUG_HW_CHANNELS, is_plain},
                 {"access", SND_PCM_IOPLUG_HW_ACCESS, is_access},
                 {"period-bytes", SND_PCM_IOPLUG_HW_PERIOD_BYTES, is_plain},
                 {"buffer-bytes", SND_PCM_IOPLUG_HW_BUFFER_BYTES, is_plain},
                 {"periods", SND_PCM_IOPLUG_HW_PERIODS, is_plain}};
  const char *key = next_word(reader);
  if (!key || *key == '#') return 0;
  reader->streams = (1u << STREAMS) - 1;
  bool is_capture = strcmp(key, "capture") == 0;
  if (is_capture || strcmp(key, "playback") == 0) {
    reader->streams = 1u << (is_capture ? SND_PCM_STREAM_CAPTURE : SND_PCM_STREAM_PLAYBACK);
    key = next_word(reader);
  }
  if (!key) return wrong(reader, "something has to follow the stream");
  int error = -ENOENT;
  for (size_t index = 0; index < sizeof choices / sizeof *choices; index++) {
    if (strcmp(key, choices[index].key) != 0) continue;
    error = read_choice(reader, key, choices[index].parameter, choices[index].is_value);
  }
  if (strcmp(key, "drift") == 0 || strcmp(key, "busy") == 0) error = read_drift_or_busy(reader, *key == 'd');
  if (strcmp(key, "source") == 0) error = read_source(reader);
  if (strcmp(key, "pace") == 0) error = read_pace(reader);
  if (strcmp(key, "at") == 0) error = read_fault(reader);
  if (error == -ENOENT) return wrong(reader, "there is no setting '%s'", key);
  if (error < 0) return error;
  const char *more = next_word(reader);
  return more ? wrong(reader, "'%s' is too much", more) : 0;
}

static void set_defaults(struct stream *stream) {
  struct choice *choices = stream->choices;
  choices[SND_PCM_IOPLUG_HW_ACCESS] =
      (struct choice){.count = 4,
                      .values = {SND_PCM_ACCESS_RW_INTERLEAVED, SND_PCM_ACCESS_RW_NONINTERLEAVED,
                                 SND_PCM_ACCESS_MMAP_INTERLEAVED, SND_PCM_ACCESS_MMAP_NONINTERLEAVED}};
  choices[SND_PCM_IOPLUG_HW_FORMAT] =
      (struct choice){.count = 5,
                      .values = {SND_PCM_FORMAT_S16_LE, SND_PCM_FORMAT_S24_LE, SND_PCM_FORMAT_S24_3LE,
                                 SND_PCM_FORMAT_S32_LE, SND_PCM_FORMAT_FLOAT_LE}};
  choices[SND_PCM_IOPLUG_HW_CHANNELS] = (struct choice){true, 2, {1, 8}};
  choices[SND_PCM_IOPLUG_HW_RATE] = (struct choice){true, 2, {8000, 192000}};
  choices[SND_PCM_IOPLUG_HW_PERIOD_BYTES] = (struct choice){true, 2, {64, 1 << 18}};
  choices[SND_PCM_IOPLUG_HW_BUFFER_BYTES] = (struct choice){true, 2, {128, 1 << 20}};
  choices[SND_PCM_IOPLUG_HW_PERIODS] = (struct choice){true, 2, {2, 64}};
}

int card_read_settings(struct card *card) {
  char path[4096];
  snprintf(path, sizeof path, "%s/card", card->folder);
  for (int index = 0; index < STREAMS; index++) set_defaults(&card->streams[index]);
  FILE *file = fopen(path, "re");
  if (!file) {
    int error = -errno;
    SNDERR("%s: %s", path, snd_strerror(error));
    return error;
  }
  struct reader reader = {.card = card, .path = path};
  char *line = NULL;
  size_t size = 0;
  int error = 0;
  while (error == 0 && getline(&line, &size, file) >= 0) {
    line[strcspn(line, "\r\n")] = 0;
    reader.line++;
    reader.rest = line;
    error = read_line(&reader);
  }
  free(line);
  fclose(file);
  return error;
}
