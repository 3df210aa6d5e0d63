// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato

/// Runs a file through contexts of one program and into another file, a block at a time.
///
///     reader ─▶ source ─▶ chosen rows ─▶ context 0 ─▶ its results ─┐
///                                    ─▶ context 1 ─▶ its results ─┴▶ chosen rows ─▶ writer
///
/// All memory is taken beforehand; it does not depend on the file's length.
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
  private let inputRows: Int
  private let outputRows: Int

  /// - Parameters:
  ///   - contexts: how many run side by side, the first one on the first of `inputs`.
  ///   - channels: of the file that is read.
  ///   - inputs: the file's channels that the contexts' inputs read, in order.
  ///   - outputs: the contexts' output rows that are written, in order.
  init(
    _ program: Program, contexts: Int, channels: Int, inputs: [Int], outputs: [Int], block: Int
  ) throws(ContextError) {
    let inputRows = program.layout.inputs.reduce(0) { $0 + $1.rows }
    let outputRows = program.layout.outputs.reduce(0) { $0 + $1.rows }
    precondition(inputs.count == inputRows * contexts, "a channel for each row of each context")
    precondition(inputs.allSatisfy { $0 < channels }, "channels that the file has")
    precondition(outputs.allSatisfy { $0 < outputRows * contexts }, "rows that the program has")
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
  }

  deinit {
    unsafe inputTable.deallocate()
    unsafe outputTable.deallocate()
    unsafe writtenTable.deallocate()
  }

  /// Turns a parameter of all contexts, before anything is rendered.
  func set(_ setting: ParameterSetting) {
    for instance in instances { instance.context.parameter(named: setting.name)?.set(setting.value) }
  }

  /// Renders all that is left of the file.
  ///
  /// - Parameter look: Sees each block of the file before it is rendered; where it throws, that block and what follows
  ///   are not.
  func render(
    _ reader: AudioFileReader, to writer: AudioFileWriter,
    look: (_ source: PlanarBuffer, _ frames: Int) throws -> Void
  ) throws {
    let written = unsafe UnsafeBufferPointer(writtenTable)
    while true {
      let frames = unsafe try reader.read(into: source.rows, frames: block)
      if frames == 0 { return }
      try look(source, frames)
      execute(frames)
      unsafe try writer.write(written, frames: frames)
    }
  }

  private func execute(_ frames: Int) {
    for (index, instance) in instances.enumerated() {
      unsafe instance.context.execute(
        frames: frames, inputs: UnsafePointer(inputTable.baseAddress! + index * inputRows),
        outputs: UnsafePointer(outputTable.baseAddress! + index * outputRows))
    }
  }
}
