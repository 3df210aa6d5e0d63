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
  if (!pcm) return CDeviceRuns;
  switch (snd_pcm_state(pcm)) {
    case SND_PCM_STATE_RUNNING: return CDeviceRuns;
    case SND_PCM_STATE_XRUN: return CDeviceXrun;
    case SND_PCM_STATE_SUSPENDED: return CDeviceSuspended;
    case SND_PCM_STATE_DISCONNECTED: return CDeviceGone;
    default: return CDeviceStopped;
  }
}

bool CDeviceIsThere(snd_pcm_t *pcm) {
  if (!pcm) return true;
  snd_pcm_info_t *info;
  snd_pcm_info_alloca(&info);
  return snd_pcm_info(pcm, info) != -ENODEV;
}

long CDeviceAvailable(snd_pcm_t *pcm) { return pcm ? snd_pcm_avail_update(pcm) : 0; }

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

int CDeviceDrop(snd_pcm_t *pcm) { return pcm ? snd_pcm_drop(pcm) : 0; }
int CDevicePrepare(snd_pcm_t *pcm) { return pcm ? snd_pcm_prepare(pcm) : 0; }
int CDeviceStart(snd_pcm_t *pcm) { return pcm ? snd_pcm_start(pcm) : 0; }
int CDeviceResume(snd_pcm_t *pcm) { return pcm ? snd_pcm_resume(pcm) : 0; }

// Asks a device for what to wait for; 0, or a negative error number.
static int describe(snd_pcm_t *pcm, struct pollfd *descriptors, int count) {
  int filled = pcm ? snd_pcm_poll_descriptors(pcm, descriptors, count) : 0;
  return filled < 0 ? filled : 0;
}

static bool is_gone(const struct pollfd *descriptors, int count) {
  for (int index = 0; index < count; index++)
    if (descriptors[index].revents & POLLNVAL) return true;
  return false;
}

int CDeviceWait(
    snd_pcm_t *awaited, int awaited_count, snd_pcm_t *other, int other_count, struct pollfd *descriptors,
    int milliseconds) {
  struct pollfd *others = descriptors + awaited_count;
  int error = describe(awaited, descriptors, awaited_count);
  if (error == 0) error = describe(other, others, other_count);
  if (error < 0) return error;
  for (int index = 0; index < other_count; index++) others[index].events = 0;
  int count = poll(descriptors, awaited_count + other_count, milliseconds);
  if (count < 0) return errno == EINTR ? CDeviceHappened : -errno;
  if (count == 0) return CDeviceTimeRanOut;
  if (is_gone(descriptors, awaited_count)) return -ENODEV;
  if (is_gone(others, other_count)) return CDeviceOtherGone;
  // Lets alsa-lib take notice; what happened shows in the devices' conditions.
  unsigned short events;
  error = awaited ? snd_pcm_poll_descriptors_revents(awaited, descriptors, awaited_count, &events) : 0;
  return error < 0 ? error : CDeviceHappened;
}

void CDevicePause(int milliseconds) { poll(NULL, 0, milliseconds); }
