// SPDX-License-Identifier: Apache-2.0

/// Turns planar floats into what a device plays, and counts what it met.
///
///     a0 a1 a2 …  b0 b1 b2 …
/// →
///     a0 b0 a1 b1 a2 b2 …   16, 24 or 32 bits, floats
///
/// Integers are rounded, held within their range and dithered exactly as in a file (`Quantizer`). Floats are held within
/// ±1, as what a device makes of more is its own affair; what is no finite number becomes silence. All of it is counted.
/// It is made before the sound begins, and reserves all that it needs; the audio thread converts.
@safe package struct PlaybackConverter: ~Copyable {
  package let format: DeviceFormat
  package let channels: Int
  private let takesFloats: Bool
  /// One a channel for integers; none for floats, which are counted by themselves.
  private let quantizers: UnsafeMutableBufferPointer<Quantizer>
  private let tallies: UnsafeMutableBufferPointer<SampleTally>
  /// A piece of a row on its way, as `DeviceFormat.store` takes it; small enough to stay in the fastest cache.
  private let samples: UnsafeMutablePointer<Int32>
  private static var piece: Int { 512 }

  package init(format: DeviceFormat, channels: Int, dither: Dither) {
    precondition(channels > 0, "sound has channels")
    self.format = format
    self.channels = channels
    let bits = format.integerBits
    takesFloats = bits == nil
    unsafe quantizers = .allocate(capacity: bits == nil ? 0 : channels)
    unsafe tallies = .allocate(capacity: bits == nil ? channels : 0)
    unsafe tallies.initialize(repeating: SampleTally())
    if let bits {
      for channel in 0..<channels {
        let noise = dither.noise(bits: bits, channel: channel)
        unsafe quantizers.initializeElement(at: channel, to: Quantizer(bits: bits, noise: noise))
      }
    }
    unsafe samples = .allocate(capacity: Self.piece)
    unsafe samples.initialize(repeating: 0, count: Self.piece)
  }

  deinit {
    unsafe samples.deallocate()
    unsafe tallies.deallocate()
    unsafe quantizers.deallocate()
  }

  /// Turns `frames` frames into the device's samples.
  ///
  /// - Parameters:
  ///   - rows: A row for each channel, of which the samples from `start` on are taken.
  ///   - areas: Where each channel's samples go.
  @_noLocks package mutating func convert(
    _ rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, from start: Int, frames: Int,
    into areas: UnsafePointer<SampleArea>
  ) {
    for channel in 0..<channels {
      let row = unsafe rows[channel] + start
      let area = unsafe areas[channel]
      var done = 0
      while done < frames {
        let count = min(frames - done, Self.piece)
        unsafe takesFloats ? keep(row + done, count, channel) : quantize(row + done, count, channel)
        unsafe format.store(samples, count: count, to: area.from(done))
        done += count
      }
    }
  }

  /// Holds floats at full scale, and counts them.
  ///
  /// Here and in `quantize`, what counts is copied in and out: the compiler's thread sanitizer cannot hand over what
  /// a pointer of a value that is not copied leads to.
  @_noLocks private func keep(_ row: UnsafePointer<Float>, _ count: Int, _ channel: Int) {
    var watch = SampleWatch()
    for index in 0..<count {
      let sample = unsafe watch.look(at: row[index])
      let held: Float = sample > 1 ? 1 : sample < -1 ? -1 : sample
      unsafe samples[index] = Int32(bitPattern: held.bitPattern)
    }
    var tally = unsafe tallies[channel]
    tally.add(watch)
    unsafe tallies[channel] = tally
  }

  @_noLocks private func quantize(_ row: UnsafePointer<Float>, _ count: Int, _ channel: Int) {
    var quantizer = unsafe quantizers[channel]
    unsafe quantizer.quantize(row, count: count, into: samples)
    unsafe quantizers[channel] = quantizer
  }

  /// The tally of a channel's samples so far.
  @_noLocks package func tally(ofChannel channel: Int) -> SampleTally {
    unsafe takesFloats ? tallies[channel] : quantizers[channel].tally
  }
}
