// SPDX-License-Identifier: Apache-2.0

import RealtimeCore

/// Every address that playing a program needs, looked up beforehand.
///
/// It holds no reference, so that the audio thread counts none; the `LiveProgram` that has it owns all of it.
@unsafe struct LiveWiring {
  let contexts: UnsafeMutablePointer<Context>
  let contextCount: Int
  /// The most frames that are executed at a time.
  let block: Int
  /// What the contexts play: a row for each output row of each context.
  private let results: UnsafeMutablePointer<UnsafeMutablePointer<Float>?>
  /// The row of results that each of the device's channels plays, or -1.
  private let played: UnsafeMutablePointer<Int>
  let channelCount: Int
  /// The program that has this wiring; who owns it hands it on together with the wiring.
  var owner: Unmanaged<LiveProgram>?

  private let inputRows: Int
  private let outputRows: Int
  /// The device's channel that each input row hears, and where that stands in the present block.
  let heard: UnsafeMutablePointer<Int>
  let sources: UnsafeMutablePointer<UnsafePointer<Float>?>
  /// The same frames, rising from silence; rows of nothing where there is no bypass.
  let risen: UnsafeMutablePointer<UnsafePointer<Float>?>
  /// The parameter that lets what each row hears through to the output row of the same number; -1 for none.
  let bypass: Int
  let latency: Int
  /// What is heard while it is bypassed; used where there is such a parameter.
  var dryPath: DryPath
  /// Holds the results and the risen rows.
  private let memory: UnsafeMutableRawPointer

  /// - Parameters:
  ///   - contexts: whose memory it takes over.
  ///   - inputs, outputs: as `LiveProgram` has them.
  ///   - inputRows, outputRows: of one context.
  ///   - bypass: the parameter's position; nil for none.
  ///   - latency: of the program.
  init(
    _ contexts: UnsafeMutablePointer<Context>, _ contextCount: Int, inputs: [Int], inputRows: Int,
    outputs: [Int?],
    outputRows: Int, block: Int, bypass: Int?, latency: Int
  ) {
    unsafe self.contexts = unsafe contexts
    unsafe self.contextCount = contextCount
    unsafe self.block = block
    unsafe self.inputRows = inputRows
    unsafe self.outputRows = outputRows
    let rows = outputRows * contextCount
    let raised = bypass == nil ? 0 : inputs.count
    // Each row begins a line of the cache.
    let stride = (block + 15) / 16 * 16
    let count = (rows + raised) * stride
    unsafe memory = .allocate(byteCount: count * MemoryLayout<Float>.stride, alignment: 64)
    let samples = unsafe memory.initializeMemory(as: Float.self, repeating: 0, count: count)
    unsafe results = .allocate(capacity: rows)
    for row in 0..<rows { unsafe (results + row).initialize(to: samples + row * stride) }
    unsafe heard = .allocate(capacity: inputs.count)
    unsafe sources = .allocate(capacity: inputs.count)
    unsafe risen = .allocate(capacity: raised)
    for row in 0..<raised {
      unsafe (risen + row).initialize(to: UnsafePointer(samples + (rows + row) * stride))
    }
    for (row, channel) in inputs.enumerated() {
      unsafe (heard + row).initialize(to: channel)
      unsafe (sources + row).initialize(to: nil)
    }
    unsafe played = .allocate(capacity: outputs.count)
    for (channel, row) in outputs.enumerated() { unsafe (played + channel).initialize(to: row ?? -1) }
    unsafe channelCount = outputs.count
    unsafe self.bypass = bypass ?? -1
    unsafe self.latency = latency
    unsafe dryPath = DryPath(rows: raised, latency: latency, block: block)
  }

  func deallocate() {
    unsafe contexts.deinitialize(count: contextCount)
    unsafe contexts.deallocate()
    unsafe results.deallocate()
    unsafe heard.deallocate()
    unsafe sources.deallocate()
    unsafe risen.deallocate()
    unsafe played.deallocate()
    unsafe memory.deallocate()
    unsafe dryPath.deallocate()
  }

  /// Rows that all contexts hear.
  var heardCount: Int { @_noLocks get { unsafe inputRows * contextCount } }

  /// The frames that were executed since the stream began.
  var position: Int64 { @_noLocks get { unsafe contexts[0].position } }

  /// Samples that asked for delays outside of their ranges since the contexts began.
  var samplesOutside: Int {
    @_noLocks get {
      var sum = 0
      for index in 0..<(unsafe contextCount) { unsafe sum += contexts[index].samplesOutside }
      return sum
    }
  }

  /// Hears frames of the device's rows, which are executed next unless the program rests.
  ///
  /// - Parameter frames: at most `block`.
  @_noLocks mutating func hear(frames: Int, inputs: UnsafePointer<UnsafePointer<Float>?>?, from start: Int) {
    if let inputs = unsafe inputs {
      for row in 0..<(unsafe heardCount) {
        guard let channel = unsafe inputs[heard[row]] else { continue }
        unsafe sources[row] = channel + start
      }
    }
    if unsafe bypass >= 0 { unsafe dryPath.hear(UnsafePointer(sources), frames: frames) }
  }

  /// Executes all contexts over what was heard, into the results.
  ///
  /// - Parameter isRising: whether what rises from silence is taken for it.
  @_noLocks func execute(frames: Int, isRising: Bool = false) {
    let sources = unsafe isRising ? risen : sources
    for index in 0..<(unsafe contextCount) {
      unsafe contexts[index].execute(
        frames: frames, inputs: UnsafePointer(sources + index * inputRows),
        outputs: UnsafePointer(results + index * outputRows))
    }
  }

  /// What a channel of the device plays, or nil for silence.
  @_noLocks func result(ofChannel channel: Int) -> UnsafePointer<Float>? {
    let row = unsafe played[channel]
    guard row >= 0, let result = unsafe results[row] else { return nil }
    return unsafe UnsafePointer(result)
  }

  /// What a channel of the device plays of what was heard, while it is bypassed; nil for silence.
  @_noLocks func dry(ofChannel channel: Int) -> UnsafePointer<Float>? {
    let row = unsafe played[channel]
    return row < 0 ? nil : unsafe dryPath.row(row, UnsafePointer(sources))
  }

  /// The row that a channel of the device plays, or -1.
  @_noLocks func row(ofChannel channel: Int) -> Int { unsafe played[channel] }
}
