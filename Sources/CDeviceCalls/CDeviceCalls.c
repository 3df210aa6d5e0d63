// SPDX-License-Identifier: Apache-2.0
#include "CDeviceCalls.h"

#include <alsa/asoundlib.h>
#include <errno.h>
#include <time.h>

int64_t CDeviceNow(void) {
  struct timespec now;
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (int64_t)now.tv_sec * 1000000000 + now.tv_nsec;
}

enum CDeviceState CDeviceCondition(snd_pcm_t *pcm) {
  switch (snd_pcm_state(pcm)) {
    case SND_PCM_STATE_RUNNING: return CDeviceRuns;
    case SND_PCM_STATE_XRUN: return CDeviceXrun;
    case SND_PCM_STATE_SUSPENDED: return CDeviceSuspended;
    case SND_PCM_STATE_DISCONNECTED: return CDeviceGone;
    default: return CDeviceStopped;
  }
}

long CDeviceAvailable(snd_pcm_t *pcm) { return snd_pcm_avail_update(pcm); }

long CDeviceRead(snd_pcm_t *pcm, bool is_planar, void **rows, long count) {
  return is_planar ? snd_pcm_readn(pcm, rows, count) : snd_pcm_readi(pcm, rows[0], count);
}

long CDeviceWrite(snd_pcm_t *pcm, bool is_planar, bool is_mapped, void **rows, long count) {
  if (is_mapped)
    return is_planar ? snd_pcm_mmap_writen(pcm, rows, count) : snd_pcm_mmap_writei(pcm, rows[0], count);
  return is_planar ? snd_pcm_writen(pcm, rows, count) : snd_pcm_writei(pcm, rows[0], count);
}

long CDeviceMap(snd_pcm_t *pcm, int channels, struct CDeviceArea *areas, unsigned long *offset, long count) {
  const snd_pcm_channel_area_t *mapped;
  snd_pcm_uframes_t start, frames = count;
  int error = snd_pcm_mmap_begin(pcm, &mapped, &start, &frames);
  if (error < 0) return error;
  for (int channel = 0; channel < channels; channel++) {
    // The first and the step are in bits, and whole bytes in every format that Legato speaks.
    long stride = mapped[channel].step / 8;
    areas[channel].base = (char *)mapped[channel].addr + mapped[channel].first / 8 + (long)start * stride;
    areas[channel].stride = stride;
  }
  *offset = start;
  return (long)frames;
}

long CDeviceCommit(snd_pcm_t *pcm, unsigned long offset, long count) {
  return snd_pcm_mmap_commit(pcm, offset, count);
}

int CDeviceDrop(snd_pcm_t *pcm) { return snd_pcm_drop(pcm); }
int CDevicePrepare(snd_pcm_t *pcm) { return snd_pcm_prepare(pcm); }
int CDeviceStart(snd_pcm_t *pcm) { return snd_pcm_start(pcm); }
int CDeviceResume(snd_pcm_t *pcm) { return snd_pcm_resume(pcm); }

int CDeviceWait(
    snd_pcm_t *awaited, int awaited_count, snd_pcm_t *other, int other_count, struct pollfd *descriptors,
    int milliseconds) {
  struct pollfd *others = descriptors + awaited_count;
  int filled = snd_pcm_poll_descriptors(awaited, descriptors, awaited_count);
  if (filled < 0) return filled;
  int filled_others = snd_pcm_poll_descriptors(other, others, other_count);
  if (filled_others < 0) return filled_others;
  for (int index = 0; index < other_count; index++) others[index].events = 0;
  int count = poll(descriptors, awaited_count + other_count, milliseconds);
  if (count < 0) return errno == EINTR ? 1 : -errno;
  if (count == 0) return 0;
  for (int index = 0; index < awaited_count + other_count; index++)
    if (descriptors[index].revents & POLLNVAL) return -ENODEV;
  // Lets alsa-lib take notice; what happened shows in the devices' conditions.
  unsigned short events;
  int error = snd_pcm_poll_descriptors_revents(awaited, descriptors, awaited_count, &events);
  return error < 0 ? error : 1;
}

void CDevicePause(int milliseconds) { poll(NULL, 0, milliseconds); }
