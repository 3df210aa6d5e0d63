// SPDX-License-Identifier: Apache-2.0

import AudioIO

/// Memory as a device has it, in one of its orders and with not a byte too many.
@safe final class DeviceMemory {
  let format: DeviceFormat
  let channels: Int
  let frames: Int
  let isPlanar: Bool
  private let memory: UnsafeMutableRawBufferPointer
  private let table: UnsafeMutablePointer<SampleArea>

  init(_ format: DeviceFormat, channels: Int, frames: Int, isPlanar: Bool) {
    (self.format, self.channels, self.frames, self.isPlanar) = (format, channels, frames, isPlanar)
    unsafe memory = .allocate(byteCount: format.bytes * channels * frames, alignment: 4)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0xA5)
    unsafe table = .allocate(capacity: channels)
    for channel in 0..<channels {
      let start = isPlanar ? channel * frames * format.bytes : channel * format.bytes
      let stride = isPlanar ? format.bytes : channels * format.bytes
      unsafe (table + channel).initialize(
        to: SampleArea(base: memory.baseAddress! + start, stride: stride))
    }
  }

  deinit {
    unsafe table.deallocate()
    unsafe memory.deallocate()
  }

  /// The channels' areas from a frame on.
  func withAreas(from frame: Int = 0, _ body: (UnsafePointer<SampleArea>) -> Void) {
    let moved = unsafe (0..<channels).map { unsafe table[$0].from(frame) }
    unsafe moved.withUnsafeBufferPointer { unsafe body($0.baseAddress!) }
  }

  var bytes: [UInt8] {
    get { unsafe Array(memory) }
    set { unsafe memory.copyBytes(from: newValue) }
  }

  /// Where a sample's bytes begin.
  private func place(_ channel: Int, _ frame: Int) -> Int {
    (isPlanar ? channel * frames + frame : frame * channels + channel) * format.bytes
  }

  /// A sample's bits, little endian; a number of 24 bits in four bytes has its sign in the fourth.
  subscript(channel: Int, frame: Int) -> UInt32 {
    get {
      let start = place(channel, frame)
      return (0..<format.bytes).reduce(0) { unsafe $0 | UInt32(memory[start + $1]) << (8 * $1) }
    }
    set {
      let start = place(channel, frame)
      for byte in 0..<format.bytes {
        unsafe memory[start + byte] = UInt8(truncatingIfNeeded: newValue >> (8 * byte))
      }
    }
  }

  /// A sample of a format of integers as a number.
  func integer(_ channel: Int, _ frame: Int) -> Int {
    let unused = 32 - (format.integerBits ?? 32)
    return Int(Int32(bitPattern: self[channel, frame] << unused) >> unused)
  }

  /// One row of floats a channel becomes the device's samples.
  func store(_ rows: [[Float]], with converter: inout PlaybackConverter, blocks: [Int]? = nil) {
    let buffer = PlanarBuffer(channels: channels, capacity: frames)
    for channel in 0..<channels {
      for frame in 0..<frames { buffer[channel, frame] = rows[channel][frame] }
    }
    var start = 0
    for count in blocks ?? [frames] {
      unsafe withAreas(from: start) { areas in
        unsafe converter.convert(buffer.rows, from: start, frames: count, into: areas)
      }
      start += count
    }
  }

  /// The device's samples become one row of floats a channel.
  func load(with converter: inout CaptureConverter) -> [[Float]] {
    let buffer = PlanarBuffer(channels: channels, capacity: frames)
    unsafe withAreas { areas in
      unsafe converter.convert(areas, frames: frames, into: buffer.rows, at: 0)
    }
    return (0..<channels).map { channel in (0..<frames).map { buffer[channel, $0] } }
  }
}
