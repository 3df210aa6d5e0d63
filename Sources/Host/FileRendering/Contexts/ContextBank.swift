// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato

/// Contexts of one program side by side, each on channels of its own, and how their parameters move.
///
///     source rows ─▶ chosen rows ─▶ context 0 ─▶ its results ─┐
///                               ─▶ context 1 ─▶ its results ─┴▶ chosen rows
///
/// What is executed depends on absolute frames only, however they are cut into blocks.
@safe final class ContextBank {
  /// A context on the heap: an array has no place for what cannot be copied.
  private final class Instance {
    var context: Context

    init(_ program: Program) throws(ContextError) { context = try Context(program) }
  }

  /// How channels meet the contexts.
  struct Shape: Equatable {
    /// How many contexts run side by side, the first one on the first of `inputs`.
    var contexts: Int
    /// That `source` has.
    var channels: Int
    /// The channels that the contexts' inputs read, in order.
    var inputs: [Int]
    /// The contexts' output rows that are written, in order.
    var outputs: [Int]
    /// The most frames at a time.
    var block: Int
  }

  let program: Program
  let shape: Shape
  /// Frames of all channels that go in; the caller fills them.
  let source: PlanarBuffer
  private let instances: [Instance]
  private let results: PlanarBuffer
  private let inputTable: UnsafeMutableBufferPointer<UnsafePointer<Float>?>
  private let outputTable: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  private let writtenTable: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  /// The same rows, from a later frame on.
  private let laterTable: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>>
  private let automation: Automation
  private let inputRows: Int
  private let outputRows: Int

  init(_ program: Program, _ shape: Shape, automation: Automation) throws(ContextError) {
    let (contexts, inputs, outputs) = (shape.contexts, shape.inputs, shape.outputs)
    self.program = program
    self.shape = shape
    self.automation = automation
    let inputRows = program.layout.inputs.reduce(0) { $0 + $1.rows }
    let outputRows = program.layout.outputs.reduce(0) { $0 + $1.rows }
    precondition(inputs.count == inputRows * contexts, "a channel for each row of each context")
    precondition(inputs.allSatisfy { $0 < shape.channels }, "channels that the file has")
    precondition(outputs.allSatisfy { $0 < outputRows * contexts }, "rows that the program has")
    self.inputRows = inputRows
    self.outputRows = outputRows
    var instances: [Instance] = []
    for _ in 0..<contexts { instances.append(try Instance(program)) }
    self.instances = instances
    source = PlanarBuffer(channels: shape.channels, capacity: shape.block)
    results = PlanarBuffer(channels: outputRows * contexts, capacity: shape.block)
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

  /// Frames in which all that is on its way through delays comes out; nil where sound may come out of nothing.
  var memory: Int? {
    let layout = program.layout
    return layout.makesNoise ? nil : layout.histories.reduce(layout.latency) { $0 + $1.length }
  }

  /// The most frames at a time.
  var block: Int { source.capacity }

  /// Makes all contexts as they were in the beginning, before a parameter was turned or moved.
  func reset() {
    for instance in instances {
      for parameter in program.layout.parameters {
        instance.context.parameter(named: parameter.name)?.set(parameter.initial)
      }
      instance.context.reset()
    }
  }

  /// Turns a parameter of all contexts, before anything is executed.
  func set(_ setting: ParameterSetting) {
    for instance in instances { instance.context.parameter(named: setting.name)?.set(setting.value) }
  }

  /// The chosen rows of what was executed last, from a frame on; valid until something is executed again.
  func results(from first: Int) -> UnsafeBufferPointer<UnsafeMutablePointer<Float>> {
    guard first > 0 else { return unsafe UnsafeBufferPointer(writtenTable) }
    for row in unsafe writtenTable.indices { unsafe laterTable[row] = writtenTable[row] + first }
    return unsafe UnsafeBufferPointer(laterTable)
  }

  /// Lets something be tried out; then all contexts are as they were before.
  func rehearse<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let snapshots = instances.map { $0.context.snapshot() }
    defer { for (instance, snapshot) in zip(instances, snapshots) { instance.context.restore(snapshot) } }
    try body()
  }

  // MARK: Looking

  /// Frames that were executed.
  var position: Int { Int(instances[0].context.position) }

  /// Whether no parameter is on its way, nor ever will be.
  var isAtRest: Bool { automation.isOver(at: position) }

  /// What the contexts remember of the sound.
  var state: [[UInt8]] { instances.map { $0.context.state } }

  /// The delays by a signal that were asked for frames outside of their ranges.
  ///
  /// - Parameter model: the file of the model.
  func outsideDelays(of model: String) -> [OutsideDelay] {
    program.layout.signalDelays.enumerated().compactMap { index, delay in
      let samples = instances.reduce(0) { $0 + $1.context.samplesOutside(ofDelay: index) }
      return samples == 0 ? nil : OutsideDelay(delay: delay, samples: samples, model: model)
    }
  }

  /// Whether the chosen rows of what was executed last are zeros.
  func isZero(_ frames: Int) -> Bool {
    for row in unsafe writtenTable.indices {
      let samples = unsafe UnsafeBufferPointer(start: writtenTable[row], count: frames)
      guard unsafe samples.allSatisfy({ $0 == 0 }) else { return false }
    }
    return true
  }

  // MARK: Executing

  /// Executes the first frames of `source`, cut where parameters set out on a line.
  func execute(_ frames: Int) {
    var done = 0
    while done < frames {
      let position = position
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
