// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// The addresses that playing a program needs, all looked up beforehand.
///
/// It holds no reference, so that the audio thread counts none; the `LiveProgram` that has it owns all of it.
@unsafe struct LiveWiring: ~Copyable {
  /// The contexts side by side. Their outputs are what they play; their inputs what rises from silence, where a
  /// program begins anew after a bypass.
  var contexts: ContextDriver
  /// The most frames that are executed at a time.
  let block: Int
  private var results: ChosenRows
  private var risen: ChosenRows
  /// The row of results that each of the device's channels plays, or -1.
  private let played: UnsafeMutablePointer<Int>
  let channelCount: Int
  /// The program that has this wiring; who owns it hands it on together with the wiring.
  var owner: Unmanaged<LiveProgram>?

  /// The rows that all contexts read.
  let readCount: Int
  /// The device's channel that each row reads, and where that stands in the present block.
  let channelsRead: UnsafeMutablePointer<Int>
  let sources: UnsafeMutablePointer<UnsafePointer<Float>?>
  /// The parameter that lets what each row reads through to the output row of the same number; -1 for none.
  let bypass: Int
  let latency: Int
  /// Frames in which the contents of all delays come out, feedback apart.
  let memory: Int
  /// The signal path of the bypass; used where there is such a parameter.
  var dryPath: DryPath

  /// - Parameters:
  ///   - contexts: of a program; it takes them over.
  ///   - inputs, outputs: as `LiveProgram` has them.
  ///   - bypass: the parameter's position; nil for none.
  /// - Throws: `ContextError.outOfMemory`.
  init(
    _ contexts: consuming ContextDriver, inputs: [Int], outputs: [Int?], block: Int, bypass: Int?
  ) throws(ContextError) {
    unsafe latency = contexts.program.layout.latency
    unsafe dryPath = try DryPath(rows: bypass == nil ? 0 : inputs.count, latency: latency, block: block)
    unsafe self.block = block
    unsafe results = ChosenRows(contexts.outputs)
    unsafe risen = ChosenRows(contexts.inputs)
    unsafe readCount = inputs.count
    unsafe channelsRead = .allocate(capacity: inputs.count)
    unsafe sources = .allocate(capacity: inputs.count)
    for (row, channel) in inputs.enumerated() {
      unsafe (channelsRead + row).initialize(to: channel)
      unsafe (sources + row).initialize(to: nil)
    }
    unsafe played = .allocate(capacity: outputs.count)
    for (channel, row) in outputs.enumerated() { unsafe (played + channel).initialize(to: row ?? -1) }
    unsafe channelCount = outputs.count
    unsafe self.bypass = bypass ?? -1
    unsafe memory = contexts.program.layout.histories.reduce(0) { $0 + $1.length }
    unsafe self.contexts = contexts
  }

  deinit {
    unsafe channelsRead.deallocate()
    unsafe sources.deallocate()
    unsafe played.deallocate()
  }

  /// The frames that were executed since the stream began.
  var position: Int64 { @_noLocks get { unsafe contexts[0].position } }

  /// Samples that asked for delays outside of their ranges since the contexts began.
  var samplesOutside: Int {
    @_noLocks get {
      var sum = 0
      for index in 0..<(unsafe contexts.count) { unsafe sum += contexts[index].samplesOutside }
      return sum
    }
  }

  /// Reads frames of the device's rows, which are executed next unless the program rests.
  ///
  /// - Parameter frames: at most `block`.
  @_noLocks mutating func read(frames: Int, inputs: UnsafePointer<UnsafePointer<Float>?>?, from start: Int) {
    if let inputs = unsafe inputs {
      for row in 0..<(unsafe readCount) {
        guard let channel = unsafe inputs[channelsRead[row]] else { continue }
        unsafe sources[row] = channel + start
      }
    }
    if unsafe bypass >= 0 { unsafe dryPath.read(UnsafePointer(sources), frames: frames) }
  }

  /// Executes all contexts over what was read, into the results.
  ///
  /// - Parameter isRising: whether what rises from silence is taken for it.
  @_noLocks mutating func execute(frames: Int, isRising: Bool = false) {
    if isRising {
      unsafe contexts.run(frames)
    } else {
      unsafe contexts.run(frames, reading: UnsafePointer(sources))
    }
  }

  /// Fades in the input that was read last, for a program that has begun anew.
  ///
  /// - Parameter start: frames for which it has risen already.
  @_noLocks mutating func raise(frames: Int, along rise: Crossfade, from start: Int) {
    let rows = unsafe risen.at(0)
    for row in 0..<(unsafe readCount) {
      unsafe rise.mix(nil, sources[row], from: start, frames: frames, into: rows[row])
    }
  }

  /// The row that a channel of the device plays, or nil for silence.
  @_noLocks mutating func result(ofChannel channel: Int) -> UnsafePointer<Float>? {
    let row = unsafe played[channel]
    return row < 0 ? nil : unsafe UnsafePointer(results.at(0)[row])
  }

  /// The input row that a channel of the device plays while it is bypassed; nil for silence.
  @_noLocks func dry(ofChannel channel: Int) -> UnsafePointer<Float>? {
    let row = unsafe played[channel]
    return row < 0 ? nil : unsafe dryPath.row(row, UnsafePointer(sources))
  }

  /// The row that a channel of the device plays, or -1.
  @_noLocks func row(ofChannel channel: Int) -> Int { unsafe played[channel] }
}
