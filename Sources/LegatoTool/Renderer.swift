// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato

/// Runs a file through contexts of one program and into another file, a block at a time.
///
///     reader ─▶ source ─▶ chosen rows ─▶ context 0 ─▶ its results ─┐
///                                    ─▶ context 1 ─▶ its results ─┴▶ chosen rows ─▶ writer
///
/// What comes out is aligned with what went in: frames by which the program is late are left out at the beginning, and
/// as many are fetched at the end, with silence. The memory that it takes does not depend on the file's length.
@safe final class Renderer {
  /// A context on the heap: an array has no place for what cannot be copied.
  private final class Instance {
    var context: Context

    init(_ program: Program) throws(ContextError) { context = try Context(program) }
  }

  private let instances: [Instance]
  private let block: Int
  private let source: PlanarBuffer
  private let results: PlanarBuffer
  private let inputTable: UnsafeMutableBufferPointer<UnsafePointer<Float>?>
  private let outputTable: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  private let writtenTable: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// The same rows, from a later frame on.
  private let laterTable: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// How parameters move.
  private let automation: Automation
  private let latency: Int
  /// Frames that are still to be left out.
  private var late: Int
  private let inputRows: Int
  private let outputRows: Int

  /// - Parameters:
  ///   - contexts: how many run side by side, the first one on the first of `inputs`.
  ///   - channels: of the file that is read.
  ///   - inputs: the file's channels that the contexts' inputs read, in order.
  ///   - outputs: the contexts' output rows that are written, in order.
  init(
    _ program: Program, contexts: Int, channels: Int, inputs: [Int], outputs: [Int], block: Int,
    automation: Automation = Automation()
  ) throws(ContextError) {
    self.automation = automation
    let inputRows = program.layout.inputs.reduce(0) { $0 + $1.rows }
    let outputRows = program.layout.outputs.reduce(0) { $0 + $1.rows }
    precondition(inputs.count == inputRows * contexts, "a channel for each row of each context")
    precondition(inputs.allSatisfy { $0 < channels }, "channels that the file has")
    precondition(outputs.allSatisfy { $0 < outputRows * contexts }, "rows that the program has")
    latency = program.layout.latency
    late = latency
    self.inputRows = inputRows
    self.outputRows = outputRows
    var instances: [Instance] = []
    for _ in 0..<contexts { instances.append(try Instance(program)) }
    self.instances = instances
    self.block = block
    source = PlanarBuffer(channels: channels, capacity: block)
    results = PlanarBuffer(channels: outputRows * contexts, capacity: block)
    unsafe inputTable = .allocate(capacity: inputs.count)
    for (row, channel) in inputs.enumerated() {
      unsafe inputTable.initializeElement(at: row, to: UnsafePointer(source.rows[channel]))
    }
    unsafe outputTable = .allocate(capacity: results.channels)
    for row in 0..<results.channels { unsafe outputTable.initializeElement(at: row, to: results.rows[row]) }
    unsafe writtenTable = .allocate(capacity: outputs.count)
    for (index, row) in outputs.enumerated() {
      unsafe writtenTable.initializeElement(at: index, to: results.rows[row])
    }
    unsafe laterTable = .allocate(capacity: outputs.count)
    unsafe _ = laterTable.initialize(fromContentsOf: writtenTable)
  }

  deinit {
    unsafe inputTable.deallocate()
    unsafe outputTable.deallocate()
    unsafe writtenTable.deallocate()
    unsafe laterTable.deallocate()
  }

  /// Turns a parameter of all contexts, before anything is rendered.
  func set(_ setting: ParameterSetting) {
    for instance in instances { instance.context.parameter(named: setting.name)?.set(setting.value) }
  }

  /// Renders all that is left of the file, and its tail.
  ///
  /// - Parameter look: Sees each block of the file before it is rendered; where it throws, that block and what follows
  ///   are not.
  func render(
    _ reader: AudioFileReader, to writer: AudioFileWriter, tail: Tail,
    look: (_ source: PlanarBuffer, _ frames: Int) throws -> Void
  ) throws {
    while true {
      let frames = unsafe try reader.read(into: source.rows, frames: block)
      if frames == 0 { break }
      try look(source, frames)
      execute(frames)
      try write(frames, to: writer)
    }
    for channel in 0..<source.channels { unsafe source.rows[channel].update(repeating: 0, count: block) }
    let most = tail.frames(sampleRate: reader.description.sampleRate)
    try inBlocks(latency + (tail == .audible ? audibleFrames(most) : most)) { frames in
      try look(source, frames)
      execute(frames)
      try write(frames, to: writer)
    }
  }

  /// Writes what was executed last, but for what is late.
  private func write(_ frames: Int, to writer: AudioFileWriter) throws(AudioFileError) {
    let left = min(late, frames)
    late -= left
    guard left > 0 else { return unsafe try writer.write(UnsafeBufferPointer(writtenTable), frames: frames) }
    for row in unsafe writtenTable.indices { unsafe laterTable[row] = writtenTable[row] + left }
    unsafe try writer.write(UnsafeBufferPointer(laterTable), frames: frames - left)
  }

  /// How many frames of silence go in before nothing comes out any more that can be heard.
  ///
  /// It is tried out, and then all contexts are as they were before.
  private func audibleFrames(_ most: Int) -> Int {
    let snapshots = instances.map { $0.context.snapshot() }
    defer { for (instance, snapshot) in zip(instances, snapshots) { instance.context.restore(snapshot) } }
    var (done, last) = (-latency, 0)
    inBlocks(latency + most) { frames in
      execute(frames)
      if let loud = lastAudible(frames) { last = max(last, done + loud + 1) }
      done += frames
    }
    return last
  }

  /// The last of the frames that were executed in which something is written that can be heard.
  private func lastAudible(_ frames: Int) -> Int? {
    var last: Int?
    for row in unsafe writtenTable.indices {
      let samples = unsafe UnsafeBufferPointer(start: writtenTable[row], count: frames)
      // What is not finite becomes silent.
      let loud = unsafe samples.lastIndex { abs($0) > Tail.threshold && $0.isFinite }
      last = [last, loud].compactMap(\.self).max()
    }
    return last
  }

  private func inBlocks<Failure: Error>(
    _ frames: Int, _ body: (Int) throws(Failure) -> Void
  ) throws(Failure) {
    var done = 0
    while done < frames {
      let count = min(block, frames - done)
      try body(count)
      done += count
    }
  }

  /// Executes a block, cut where parameters set out on a line.
  private func execute(_ frames: Int) {
    var done = 0
    while done < frames {
      let position = Int(instances[0].context.position)
      let count = automation.frames(from: position, most: frames - done)
      for move in automation.moves(at: position) {
        for instance in instances {
          instance.context.glide(move.parameter, to: move.value, over: move.frames)
        }
      }
      execute(from: done, frames: count)
      done += count
    }
  }

  private func execute(from first: Int, frames: Int) {
    shiftTables(by: first)
    for (index, instance) in instances.enumerated() {
      unsafe instance.context.execute(
        frames: frames, inputs: UnsafePointer(inputTable.baseAddress! + index * inputRows),
        outputs: UnsafePointer(outputTable.baseAddress! + index * outputRows))
    }
    shiftTables(by: -first)
  }

  /// Lets the tables point at other frames of the same rows.
  private func shiftTables(by frames: Int) {
    guard frames != 0 else { return }
    for row in unsafe inputTable.indices {
      unsafe inputTable[row] = inputTable[row].map { unsafe $0 + frames }
    }
    for row in unsafe outputTable.indices {
      unsafe outputTable[row] = outputTable[row].map { unsafe $0 + frames }
    }
  }
}
