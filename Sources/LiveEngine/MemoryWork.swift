// SPDX-License-Identifier: Apache-2.0

/// How much memory the audio thread may copy or clear beside playing: for a swap what the next program takes over, for
/// a rest what the program forgets.
///
/// It is so much for each frame of a block, so that it takes the same share of the time whatever the period: at 48 kHz
/// 0.2 GB a second, of which a core clears or copies at least 5. A second of stereo echo is through in 2 ms of sound,
/// the 1 GiB that a program may remember at most in 6 s.
enum MemoryWork {
  static var bytesPerFrame: Int { @_noLocks get { 4 << 10 } }
}
