// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <poll.h>
#include <stdbool.h>
#include <stdint.h>

// What a loop over periods asks of alsa-lib and of the kernel. Swift's performance checks take our word that none of
// these allocates or locks, for what is ours of them; what a plugin of alsa-lib does is its own.
//
// Of a device that there is not, all goes well: it runs, does what it is told, and has nothing to transfer.
#define LEGATO_DEVICE_CALL __attribute__((swift_attr("@_noLocks")))

struct _snd_pcm;

/// Where a channel's samples stand: sample i at `base + i * stride`, in bytes.
struct CDeviceArea {
  void *_Nonnull base;
  long stride;
};

/// How a device is doing.
enum CDeviceState { CDeviceRuns, CDeviceStopped, CDeviceXrun, CDeviceSuspended, CDeviceGone };

/// Nanoseconds of a clock that never jumps.
LEGATO_DEVICE_CALL int64_t CDeviceNow(void);

LEGATO_DEVICE_CALL enum CDeviceState CDeviceCondition(struct _snd_pcm *_Nullable pcm);

/// Whether a device is still there. One that is linked to a device that is gone is in the same state and refuses what
/// it is asked for, too, but as something that is not to be done in this state, and not as what is not there.
LEGATO_DEVICE_CALL bool CDeviceIsThere(struct _snd_pcm *_Nullable pcm);

/// Frames that can be transferred at once, or a negative error number.
LEGATO_DEVICE_CALL long CDeviceAvailable(struct _snd_pcm *_Nullable pcm);

/// Transfers up to `count` frames; returns how many, or a negative error number. Interleaved samples stand in the first
/// of the rows, planar ones in a row for each channel.
LEGATO_DEVICE_CALL long CDeviceRead(
    struct _snd_pcm *_Nonnull pcm, bool is_planar, void *_Nonnull *_Nonnull rows, long count);
LEGATO_DEVICE_CALL long CDeviceWrite(
    struct _snd_pcm *_Nonnull pcm, bool is_planar, bool is_mapped, void *_Nonnull *_Nonnull rows, long count);

/// Shows up to `count` frames of the device's own buffer; returns how many, or a negative error number.
LEGATO_DEVICE_CALL long CDeviceMap(
    struct _snd_pcm *_Nonnull pcm, int channels, struct CDeviceArea *_Nonnull areas,
    unsigned long *_Nonnull offset, long count);
/// Ends what `CDeviceMap` began.
LEGATO_DEVICE_CALL long CDeviceCommit(struct _snd_pcm *_Nonnull pcm, unsigned long offset, long count);

LEGATO_DEVICE_CALL int CDeviceDrop(struct _snd_pcm *_Nullable pcm);
LEGATO_DEVICE_CALL int CDevicePrepare(struct _snd_pcm *_Nullable pcm);
LEGATO_DEVICE_CALL int CDeviceStart(struct _snd_pcm *_Nullable pcm);
LEGATO_DEVICE_CALL int CDeviceResume(struct _snd_pcm *_Nullable pcm);

/// What a wait comes to, if not to a negative error number.
enum CDeviceWaited {
  CDeviceTimeRanOut,
  CDeviceHappened,
  /// The device that was not awaited is gone.
  CDeviceOtherGone
};

/// Waits until a device is ready, until it or another one has failed, or for so many milliseconds.
///
/// Of the other one only failures end the wait: it is ready most of the time. `descriptors` has room for those of both.
LEGATO_DEVICE_CALL int CDeviceWait(
    struct _snd_pcm *_Nullable awaited, int awaited_count, struct _snd_pcm *_Nullable other, int other_count,
    struct pollfd *_Nonnull descriptors, int milliseconds);

/// Waits for so many milliseconds.
LEGATO_DEVICE_CALL void CDevicePause(int milliseconds);
