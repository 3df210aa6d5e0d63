// SPDX-License-Identifier: Apache-2.0
// What the script says, done to a stream or to the whole card.
#include "Card.h"

// The fault that the stream comes to next; those that it has passed come at once.
struct fault *stream_next_fault(const struct stream *stream) {
  struct card *card = stream->card;
  struct fault *next = NULL;
  for (unsigned index = 0; index < card->fault_count; index++) {
    struct fault *fault = &card->faults[index];
    if (!(fault->pending & 1u << stream->direction)) continue;
    if (!next || fault->position < next->position) next = fault;
  }
  return next;
}

// Whether it befalls the card and not a stream.
bool fault_is_whole(const struct fault *fault) { return fault->kind == UNPLUG || fault->kind == SUSPEND; }

static void note(const struct stream *stream, enum fault_kind kind) {
  static const char *const names[] = {[XRUN] = "xrun",   [REFUSE] = "refuse", [FREEZE] = "freeze",
                                      [EARLY] = "early", [STALL] = "stall",   [UNPLUG] = "unplug",
                                      [SUSPEND] = "suspend"};
  card_log(stream->card, "%s %s %lld", stream_name(stream), names[kind], (long long)stream_position(stream));
}

static void unplug(struct card *card, int64_t absences) {
  card->is_unplugged = true;
  card->absences = absences;
  for (int index = 0; index < STREAMS; index++) {
    struct stream *stream = &card->streams[index];
    stream->is_running = false;
    stream->is_frozen = false;
    if (!stream->is_open) continue;
    note(stream, UNPLUG);
    snd_pcm_ioplug_set_state(&stream->io, SND_PCM_STATE_DISCONNECTED);
    stream_arm(stream);
  }
}

// The clocks stand still from the moment at which the victim got there, however late that was seen.
static void suspend(struct card *card, const struct stream *victim, int64_t resumes) {
  card->is_suspended = true;
  card->suspended_at = stream_time_at(victim, stream_position(victim));
  card->resumes = resumes;
  for (int index = 0; index < STREAMS; index++) {
    struct stream *stream = &card->streams[index];
    snd_pcm_state_t state = stream->io.state;
    bool is_active = state == SND_PCM_STATE_PREPARED || state == SND_PCM_STATE_RUNNING ||
                     state == SND_PCM_STATE_DRAINING;
    if (!stream->is_open || !is_active) continue;
    note(stream, SUSPEND);
    stream->suspended_in = state;
    stream->is_running = false;
    snd_pcm_ioplug_set_state(&stream->io, SND_PCM_STATE_SUSPENDED);
    stream_arm(stream);
  }
}

// The clocks go on from where they stood.
void card_end_suspension(struct card *card) {
  if (!card->is_suspended) return;
  card->is_suspended = false;
  nanoseconds gap = card_now(card) - card->suspended_at;
  for (int index = 0; index < STREAMS; index++) card->streams[index].origin += gap;
}

void stream_suffer(struct stream *stream, struct fault *fault) {
  if (fault_is_whole(fault)) {
    fault->pending = 0;
  } else {
    fault->pending &= ~(1u << stream->direction);
    note(stream, fault->kind);
  }
  switch (fault->kind) {
    case REFUSE:
      stream->refusals = fault->amount;
      // fall through
    case XRUN:
      stream->is_running = false;
      snd_pcm_ioplug_set_state(&stream->io, SND_PCM_STATE_XRUN);
      break;
    case FREEZE:
      stream->is_frozen = true;
      break;
    case EARLY:
      stream->early = fault->amount;
      break;
    case STALL:
      card_pass_to(stream->card, card_now(stream->card) + fault->amount * 1000000);
      break;
    case UNPLUG:
      unplug(stream->card, fault->amount);
      break;
    case SUSPEND:
      suspend(stream->card, stream, fault->amount);
      break;
  }
}
