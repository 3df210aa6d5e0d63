// SPDX-License-Identifier: Apache-2.0

/// The memory that the audio thread may copy or clear beside playing: for a swap what the next program takes over, for
/// a rest what the program forgets.
///
/// It is so much for each frame of a block, so that it takes no larger share of the time in a short period than in a
/// long one: at 48 kHz 0.2 GB a second, of which a core clears or copies at least 5. A second of stereo echo is through
/// in 2 ms of sound, the 1 GiB that a program may remember at most in 6 s. A swap copies in one block of each 64 frames
/// only, so that with shorter periods it takes longer: with 16 frames four times as long.
enum MemoryWork {
  static var bytesPerFrame: Int { @_noLocks get { 4 << 10 } }
}
