// SPDX-License-Identifier: Apache-2.0

/// A crossfade from one signal to another that is much like it: a + (b - a) g, with a gain g that rises evenly.
///
/// The gains add up to 1, not their squares: old and new are mostly the same sound, of which the sum of equal powers
/// would be 3 dB louder half-way. Where both are equal the result has the same bits.
struct Crossfade {
  /// Frames from the last one of which only `a` goes out to the first one of which only `b` is.
  let length: Int

  @_noLocks init(length: Int) { self.length = length }

  /// Mixes frames into `output`; nil is silence.
  ///
  /// - Parameter start: frames of the crossfade that are over.
  @_noLocks func mix(
    _ a: UnsafePointer<Float>?, _ b: UnsafePointer<Float>?, from start: Int, frames: Int,
    into output: UnsafeMutablePointer<Float>
  ) {
    for frame in 0..<frames {
      let old = unsafe a?[frame] ?? 0
      let new = unsafe b?[frame] ?? 0
      let gain = Float(start + frame + 1) / Float(length + 1)
      unsafe output[frame] = old == new ? new : old + (new - old) * gain
    }
  }
}
