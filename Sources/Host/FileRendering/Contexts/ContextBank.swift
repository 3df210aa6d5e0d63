// SPDX-License-Identifier: Apache-2.0

internal import Legato
internal import RealtimeCore

/// Contexts of one program side by side, each on channels of its own, and how their parameters move.
///
///     source rows ─▶ chosen rows ─▶ context 0 ─▶ its results ─┐
///                               ─▶ context 1 ─▶ its results ─┴▶ chosen rows
///
/// What is executed depends on absolute frames only, however they are cut into blocks.
@safe final class ContextBank {
  /// How channels meet the contexts.
  struct Shape: Equatable {
    /// How many contexts run side by side, the first one on the first of `inputs`.
    var contexts: Int
    /// The file's channels.
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
  private var driver: ContextDriver
  /// All channels that go in.
  private var sourceRows: ChosenRows
  /// The chosen rows of what comes out.
  private var resultRows: ChosenRows
  private let automation: Automation

  init(_ program: Program, _ shape: Shape, automation: Automation) throws(ContextError) {
    precondition(shape.inputs.allSatisfy { $0 < shape.channels }, "channels that the file has")
    self.program = program
    self.shape = shape
    self.automation = automation
    driver = try ContextDriver(
      program, contexts: shape.contexts, frames: shape.block, reading: shape.inputs, of: shape.channels)
    sourceRows = ChosenRows(driver.inputs)
    resultRows = ChosenRows(driver.outputs, shape.outputs)
  }

  /// The frames in which the contents of all delays come out, feedback apart; nil where the model makes noise.
  var memory: Int? {
    let layout = program.layout
    let histories = layout.histories.lazy.filter { $0.constant == nil }
    return layout.makesNoise ? nil : histories.reduce(layout.latency) { $0 + $1.length }
  }

  /// The most frames at a time.
  var block: Int { shape.block }

  /// Resets all contexts and their parameters to the beginning.
  func reset() {
    for index in 0..<driver.count {
      for parameter in program.layout.parameters {
        driver[index].parameter(named: parameter.name)?.set(parameter.initial)
      }
      driver[index].reset()
    }
  }

  /// Sets a parameter of all contexts, before anything is executed.
  func set(_ setting: ParameterSetting) {
    for index in 0..<driver.count { driver[index].parameter(named: setting.name)?.set(setting.value) }
  }

  /// The input rows of all channels, which the caller fills; valid as long as the bank.
  var source: UnsafeBufferPointer<UnsafeMutablePointer<Float>> { unsafe sourceRows.at(0) }

  /// Some frames of an input channel.
  func source(_ channel: Int, _ frames: Range<Int>) -> [Float] { frames.map { driver.inputs[channel, $0] } }

  /// The chosen rows of what was executed last, from a frame on; valid until they are asked for again.
  func results(from first: Int) -> UnsafeBufferPointer<UnsafeMutablePointer<Float>> {
    unsafe resultRows.at(first)
  }

  /// Runs something, and then restores all contexts.
  func rehearse<Failure: Error>(_ body: () throws(Failure) -> Void) throws(Failure) {
    let snapshots = (0..<driver.count).map { driver[$0].snapshot() }
    defer { for (index, snapshot) in snapshots.enumerated() { driver[index].restore(snapshot) } }
    try body()
  }

  // MARK: Looking

  /// Frames that were executed.
  var position: Int { Int(driver[0].position) }

  /// Whether no parameter glides, or will glide.
  var isAtRest: Bool { automation.isOver(at: position) }

  /// The state of each context.
  var state: [[UInt8]] { (0..<driver.count).map { driver[$0].state } }

  /// The delays by a signal that were asked for frames outside of their ranges.
  ///
  /// - Parameter model: the file of the model.
  func outsideDelays(of model: String) -> [OutsideDelay] {
    program.layout.signalDelays.enumerated().compactMap { index, delay in
      let samples = (0..<driver.count).reduce(0) { $0 + driver[$1].samplesOutside(ofDelay: index) }
      return samples == 0 ? nil : OutsideDelay(delay: delay, samples: samples, model: model)
    }
  }

  /// The numbers that the chosen rows of what was executed last have; nil where one of them has several.
  func levels(_ frames: Int) -> [Float]? {
    var levels: [Float] = []
    for row in Set(shape.outputs).sorted() {
      let level: Float? = driver.outputs.withRow(row, frames: 0..<frames) { samples in
        guard let first = samples.indices.first.map({ samples[$0] }) else { return nil }
        return samples.indices.allSatisfy { samples[$0] == first } ? first : nil
      }
      guard let level else { return nil }
      levels.append(level)
    }
    return levels
  }

  // MARK: Executing

  /// Executes the first frames of `source`, cut where parameters begin to glide.
  func execute(_ frames: Int) {
    var done = 0
    while done < frames {
      let position = position
      let count = automation.frames(from: position, most: frames - done)
      for move in automation.moves(at: position) {
        for index in 0..<driver.count {
          driver[index].glide(move.parameter, to: move.value, over: move.frames)
        }
      }
      driver.execute(count, from: done)
      done += count
    }
  }
}
