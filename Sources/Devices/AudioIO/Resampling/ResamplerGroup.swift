// SPDX-License-Identifier: Apache-2.0

internal import CSampleRate

/// Channels that libsamplerate resamples together, and what goes in and comes out of it, interleaved.
///
/// It has code of its own for 1, 2, 4 and 6 channels, which is as fast for all as any other is for one.
@safe final class ResamplerGroup {
  /// The channels as groups, each as large as can be.
  static func parts(of channels: [Int]) -> [[Int]] {
    var (parts, left) = ([[Int]](), channels[...])
    while !left.isEmpty {
      let size = [6, 4, 2].first { $0 <= left.count } ?? 1
      parts.append(Array(left.prefix(size)))
      left = left.dropFirst(size)
    }
    return parts
  }

  /// The rows that are its own, of those that it is given.
  let channels: [Int]
  private let state: OpaquePointer
  private let input: UnsafeMutableBufferPointer<Float>
  private let output: UnsafeMutableBufferPointer<Float>
  /// The place of its own rows, while it works on them.
  private let table: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>

  init(
    channels: [Int], quality: ResamplingQuality, inputFrames: Int, outputFrames: Int
  ) throws(ResamplerError) {
    var code: Int32 = 0
    guard let state = unsafe src_new(quality.converter, Int32(channels.count), &code) else {
      throw .library(Self.sentence(code))
    }
    unsafe self.state = state
    self.channels = channels
    unsafe input = .allocate(capacity: inputFrames * channels.count)
    unsafe input.initialize(repeating: 0)
    unsafe output = .allocate(capacity: outputFrames * channels.count)
    unsafe output.initialize(repeating: 0)
    unsafe table = .allocate(capacity: channels.count)
    unsafe table.initialize(repeating: input.baseAddress!)
  }

  /// Another one that goes on as this one would.
  init(copying other: ResamplerGroup) {
    var code: Int32 = 0
    guard let state = unsafe src_clone(other.state, &code) else {
      preconditionFailure("libsamplerate: \(Self.sentence(code))")
    }
    unsafe self.state = state
    channels = other.channels
    unsafe input = .allocate(capacity: other.input.count)
    unsafe _ = input.initialize(fromContentsOf: other.input)
    unsafe output = .allocate(capacity: other.output.count)
    unsafe _ = output.initialize(fromContentsOf: other.output)
    unsafe table = .allocate(capacity: channels.count)
    unsafe table.initialize(repeating: input.baseAddress!)
  }

  deinit {
    unsafe src_delete(state)
    unsafe input.deallocate()
    unsafe output.deallocate()
    unsafe table.deallocate()
  }

  /// Takes frames of this group's rows, from `start` on, as those of the input from `place` on.
  ///
  /// - Returns: how many samples were not finite, and became silent.
  func stage(_ rows: Interleaving<Float>.Rows, from start: Int, count: Int, at place: Int) -> Int {
    let own = unsafe own(of: rows)
    let frames = unsafe input.baseAddress! + place * channels.count
    unsafe Interleaving<Float>.interleave(own, from: start, count: count, into: frames)
    var silenced = 0
    for index in 0..<count * channels.count where unsafe !frames[index].isFinite {
      unsafe frames[index] = 0
      silenced += 1
    }
    return silenced
  }

  func stageSilence(_ count: Int, at place: Int) {
    unsafe (input.baseAddress! + place * channels.count).update(repeating: 0, count: count * channels.count)
  }

  /// Resamples the whole input, and returns how many frames came out.
  func process(ratio: Double) -> Int {
    var data = unsafe SRC_DATA()
    unsafe data.data_in = UnsafePointer(input.baseAddress!)
    unsafe data.data_out = output.baseAddress!
    unsafe data.input_frames = input.count / channels.count
    unsafe data.output_frames = output.count / channels.count
    unsafe data.src_ratio = ratio
    let code = unsafe src_process(state, &data)
    precondition(code == 0, "libsamplerate: \(Self.sentence(code))")
    let isWhole =
      unsafe data.input_frames_used == data.input_frames && data.output_frames_gen < data.output_frames
    precondition(isWhole, "libsamplerate takes all that it is given, and makes no more than the ratio says")
    return unsafe data.output_frames_gen
  }

  /// Hands over frames of the output, from `place` on, to this group's rows, from `start` on.
  func take(_ count: Int, at place: Int, into rows: Interleaving<Float>.Rows, from start: Int) {
    let own = unsafe own(of: rows)
    let frames = unsafe output.baseAddress! + place * channels.count
    unsafe Interleaving<Float>.deinterleave(frames, into: own, at: start, count: count)
  }

  private func own(of rows: Interleaving<Float>.Rows) -> Interleaving<Float>.Rows {
    for (index, channel) in channels.enumerated() { unsafe table[index] = rows[channel] }
    return unsafe UnsafeBufferPointer(table)
  }

  private static func sentence(_ code: Int32) -> String {
    guard let text = unsafe src_strerror(code) else { return "error \(code)" }
    return unsafe String(cString: text)
  }
}
