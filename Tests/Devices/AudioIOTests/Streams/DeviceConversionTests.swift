// SPDX-License-Identifier: Apache-2.0

import AudioIO
import TestEquipment
import Testing

@Suite("Devices: samples in and out")
struct DeviceConversionTests {
  /// A format and an order of samples.
  struct Layout: CustomTestStringConvertible {
    var format: DeviceFormat
    var channels: Int
    var isPlanar: Bool

    var testDescription: String { "\(format.name), \(channels) \(isPlanar ? "planar" : "interleaved")" }

    static let all = DeviceFormat.allCases.flatMap { format in
      [1, 2, 3, 8].flatMap { channels in
        [false, true].map { Layout(format: format, channels: channels, isPlanar: $0) }
      }
    }
    static let integers = all.filter { $0.format.integerBits != nil }
  }

  private func memory(_ layout: Layout, _ frames: Int) -> DeviceMemory {
    DeviceMemory(layout.format, channels: layout.channels, frames: frames, isPlanar: layout.isPlanar)
  }

  /// Each value of 16 bits; of the wider formats both ends, what is about zero, and a comb over the rest.
  private func values(_ bits: Int) -> [Int] {
    let limit = 1 << (bits - 1)
    guard bits > 16 else { return Array(-limit..<limit) }
    let ends = Array(-limit...(-limit + 300)) + Array((limit - 300)..<limit) + Array(-300...300)
    return ends + stride(from: -limit, to: limit, by: (1 << bits) / 9973)
  }

  @Test("integers become floats as the formula has it, and come back", arguments: Layout.integers)
  func integers(_ layout: Layout) throws {
    let bits = try #require(layout.format.integerBits)
    let values = values(bits)
    let scale = Double(1 << (bits - 1))
    let device = memory(layout, values.count)
    for (frame, value) in values.enumerated() {
      // Channels differ: none may be taken for another.
      for channel in 0..<layout.channels {
        device[channel, frame] = UInt32(truncatingIfNeeded: channel.isMultiple(of: 2) ? value : ~value)
      }
    }
    var capture = CaptureConverter(format: layout.format, channels: layout.channels)
    let rows = device.load(with: &capture)
    for channel in 0..<layout.channels {
      let expected = values.map { Float(Double(channel.isMultiple(of: 2) ? $0 : ~$0) / scale) }
      #expect(rows[channel] == expected)
    }

    let copy = memory(layout, values.count)
    var playback = PlaybackConverter(format: layout.format, channels: layout.channels, dither: .none)
    copy.store(rows, with: &playback)
    if bits <= 24 {
      #expect(copy.bytes == device.bytes)
    } else {
      // A float has 24 bits of them; those come back.
      var again = CaptureConverter(format: layout.format, channels: layout.channels)
      #expect(copy.load(with: &again) == rows)
    }
  }

  @Test("24 bits in four bytes: what stands in the fourth does not count")
  func fourthByte() {
    let device = DeviceMemory(.int24, channels: 1, frames: 3, isPlanar: true)
    device[0, 0] = 0x5A_80_00_00
    device[0, 1] = 0xFF_7F_FF_FF
    device[0, 2] = 0x00_FF_FF_FF
    var capture = CaptureConverter(format: .int24, channels: 1)
    #expect(device.load(with: &capture) == [[-1, 1 - 0x1p-23, -0x1p-23]])
  }

  /// Fractions of a step about each value of 16 bits and, further apart, of the wider formats.
  private func samples(_ bits: Int) -> [Float] {
    let scale = Double(1 << (bits - 1))
    var random = SplitMix(seed: 7)
    let near = values(bits).flatMap { value in
      [-0.5, -0.49, 0, 0.25, 0.5].map { Float((Double(value) + $0) / scale) }
    }
    let loud: [Float] = [
      1, -1, 1.0001, -1.0001, 1e30, -1e30, .greatestFiniteMagnitude, -.greatestFiniteMagnitude,
      Float(1).nextDown, Float(1).nextUp, Float(-1).nextDown, .leastNonzeroMagnitude, -0.0,
    ]
    return near + loud + (0..<2000).map { _ in random.float(-1.1, 1.1) }
  }

  @Test("floats become integers as the formula has it: half to even, held within the range, counted")
  func rounding() throws {
    for layout in Layout.integers where layout.channels < 3 {
      let bits = try #require(layout.format.integerBits)
      let scale = Double(1 << (bits - 1))
      let row = samples(bits)
      let device = memory(layout, row.count)
      var playback = PlaybackConverter(format: layout.format, channels: layout.channels, dither: .none)
      device.store(
        Array(repeating: row, count: layout.channels).enumerated().map { $0 == 0 ? $1 : $1.reversed() },
        with: &playback)
      for channel in 0..<layout.channels {
        let expected = (channel == 0 ? row : row.reversed()).map { sample in
          Int(min(max((Double(sample) * scale).rounded(.toNearestOrEven), -scale), scale - 1))
        }
        #expect((0..<row.count).map { device.integer(channel, $0) } == expected, "\(layout)")
        #expect(playback.tally(ofChannel: channel).clipped == row.filter { abs($0) > 1 }.count)
        #expect(playback.tally(ofChannel: channel).nonFinite == 0)
      }
    }
  }

  @Test("what is no finite number goes out and comes in as silence, and is counted", arguments: Layout.all)
  func nonFinite(_ layout: Layout) {
    let row: [Float] = [.nan, 0.5, .infinity, -.infinity, 0.25, .signalingNaN, -.nan, -2]
    let device = memory(layout, row.count)
    var playback = PlaybackConverter(format: layout.format, channels: layout.channels, dither: .none)
    device.store(Array(repeating: row, count: layout.channels), with: &playback)
    var capture = CaptureConverter(format: layout.format, channels: layout.channels)
    let heard = device.load(with: &capture)
    for channel in 0..<layout.channels {
      #expect(heard[channel] == [0, 0.5, 0, 0, 0.25, 0, 0, -1])
      let tally = playback.tally(ofChannel: channel)
      #expect(tally.nonFinite == 5 && tally.clipped == 1 && tally.peak == 2)
      let tallyIn = capture.tally(ofChannel: channel)
      #expect(
        tallyIn.nonFinite == 0 && tallyIn.clipped == (layout.format == .float ? 0 : 1) && tallyIn.peak == 1)
    }
    guard layout.format == .float else { return }
    for (frame, sample) in row.enumerated() { device[layout.channels - 1, frame] = sample.bitPattern }
    #expect(device.load(with: &capture)[layout.channels - 1] == [0, 0.5, 0, 0, 0.25, 0, 0, -2])
    #expect(capture.tally(ofChannel: layout.channels - 1).nonFinite == 5)
  }

  @Test("integers that come in at either end of their range are counted", arguments: Layout.integers)
  func fullScale(_ layout: Layout) throws {
    let highest = (1 << (try #require(layout.format.integerBits) - 1)) - 1
    let device = memory(layout, 5)
    for (frame, value) in [highest, highest - 1, 0, -highest, -highest - 1].enumerated() {
      for channel in 0..<layout.channels { device[channel, frame] = UInt32(truncatingIfNeeded: value) }
    }
    var capture = CaptureConverter(format: layout.format, channels: layout.channels)
    _ = device.load(with: &capture)
    for channel in 0..<layout.channels { #expect(capture.tally(ofChannel: channel).clipped == 2) }
  }

  @Test(
    "floats keep every bit, in and, held at full scale, out",
    arguments: Layout.all.filter { $0.format == .float })
  func floats(_ layout: Layout) {
    var random = SplitMix(seed: 3)
    let rows = (0..<layout.channels).map { _ in
      (0..<5000).map { _ in
        let bits = UInt32(truncatingIfNeeded: random.next())
        return Float(bitPattern: bits & 0x7F80_0000 == 0x7F80_0000 ? bits ^ 0x4000_0000 : bits)
      }
    }
    let device = memory(layout, 5000)
    var playback = PlaybackConverter(format: .float, channels: layout.channels, dither: .triangular(seed: 1))
    device.store(rows, with: &playback)
    var capture = CaptureConverter(format: .float, channels: layout.channels)
    let held = rows.map { $0.map { abs($0) > 1 ? ($0 < 0 ? -1 : 1) : $0 } }
    #expect(device.load(with: &capture).map { $0.map(\.bitPattern) } == held.map { $0.map(\.bitPattern) })
    for (row, channel) in zip(rows, 0...) {
      #expect(playback.tally(ofChannel: channel).clipped == row.filter { abs($0) > 1 }.count)
      for (frame, sample) in row.enumerated() { device[channel, frame] = sample.bitPattern }
    }
    #expect(device.load(with: &capture).map { $0.map(\.bitPattern) } == rows.map { $0.map(\.bitPattern) })
  }

  /// The file's samples are made by the same arithmetic, with the same noise.
  @Test(
    "what a device plays is what a file of the same bits holds, dithered or not, however it is cut",
    arguments: [Dither.none, .triangular(seed: 5)])
  func likeFiles(_ dither: Dither) throws {
    let folder = try TemporaryFolder()
    let sound = Sound.waves(channels: 2, frames: 3000)
    for (format, stored) in [
      (DeviceFormat.int16, SampleFormat.int16), (.int24Packed, .int24), (.int32, .int32),
    ] {
      let path = folder("\(format.name).wav")
      try sound.write(path, stored, dither: dither)
      let device = DeviceMemory(format, channels: 2, frames: 3000, isPlanar: false)
      var playback = PlaybackConverter(format: format, channels: 2, dither: dither)
      device.store(sound.samples, with: &playback, blocks: [1, 0, 511, 700, 1, 1024, 763])
      #expect(try folder.bytes("\(format.name).wav").suffix(device.bytes.count) == device.bytes[...])
    }
  }

  @Test("only 16 bits are dithered")
  func dither() {
    let quiet: [Float] = Array(repeating: 0, count: 1000)
    for format in DeviceFormat.allCases {
      let device = DeviceMemory(format, channels: 1, frames: 1000, isPlanar: true)
      var playback = PlaybackConverter(format: format, channels: 1, dither: .triangular(seed: 9))
      device.store([quiet], with: &playback)
      #expect(device.bytes.allSatisfy { $0 == 0 } == (format != .int16))
    }
  }

  @Test("no other byte is touched", arguments: Layout.all)
  func neighbours(_ layout: Layout) {
    let device = memory(layout, 40)
    let before = device.bytes
    let rows = Array(repeating: Array(repeating: Float(0.1), count: 40), count: layout.channels)
    var playback = PlaybackConverter(format: layout.format, channels: layout.channels, dither: .none)
    // Frames 13 to 29 of 40.
    let buffer = PlanarBuffer(channels: layout.channels, capacity: 40)
    for channel in 0..<layout.channels {
      for frame in 0..<40 { buffer[channel, frame] = rows[channel][frame] }
    }
    unsafe device.withAreas(from: 13) { areas in
      unsafe playback.convert(buffer.rows, from: 5, frames: 17, into: areas)
    }
    let after = device.bytes
    let changed = memory(layout, 40)
    changed.bytes = before
    for channel in 0..<layout.channels {
      for frame in 13..<30 { changed[channel, frame] = device[channel, frame] }
    }
    #expect(after == changed.bytes)
    #expect(after != before)
  }
}
