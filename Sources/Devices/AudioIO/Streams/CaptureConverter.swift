// SPDX-License-Identifier: Apache-2.0

/// Turns what a device captured into planar floats, and counts what it met.
///
///     a0 b0 a1 b1 a2 b2 …   16, 24 or 32 bits, floats
/// →
///     a0 a1 a2 …  b0 b1 b2 …
///
/// It is made before the sound begins, and reserves all that it needs; the audio thread converts.
@safe package struct CaptureConverter: ~Copyable {
  package let format: DeviceFormat
  package let channels: Int
  private let tallies: UnsafeMutableBufferPointer<SampleTally>

  package init(format: DeviceFormat, channels: Int) {
    precondition(channels > 0, "sound has channels")
    self.format = format
    self.channels = channels
    unsafe tallies = .allocate(capacity: channels)
    unsafe tallies.initialize(repeating: SampleTally())
  }

  deinit { unsafe tallies.deallocate() }

  /// Turns `frames` frames into floats.
  ///
  /// - Parameters:
  ///   - areas: Where each channel's samples stand.
  ///   - rows: A row for each channel, with room for so many samples from `start` on.
  @_noLocks package mutating func convert(
    _ areas: UnsafePointer<SampleArea>, frames: Int,
    into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, at start: Int
  ) {
    for channel in 0..<channels {
      // The compiler's thread sanitizer cannot hand over what a pointer of a value that is not copied leads to.
      var tally = unsafe tallies[channel]
      unsafe format.load(areas[channel], count: frames, into: rows[channel] + start, &tally)
      unsafe tallies[channel] = tally
    }
  }

  /// The tally of a channel's samples so far.
  @_noLocks package func tally(ofChannel channel: Int) -> SampleTally { unsafe tallies[channel] }
}
