// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore
internal import ReferenceInterpreter

/// A run of a stimulus through a context, block by block, with its outputs.
package final class Playback {
  private let stimulus: Stimulus
  package private(set) var frame = 0
  private var pending: ArraySlice<ParameterEvent>
  private var driver: ContextDriver

  /// The filling of outputs before they are written: a number that no graph computes, so that gaps are found.
  private static let unwritten: Float = -12345.678

  package init(
    _ stimulus: Stimulus, through context: consuming Context, inPlace: Bool = false
  ) throws(ContextError) {
    self.stimulus = stimulus
    pending = stimulus.changes[...]
    driver = try ContextDriver(
      context, frames: stimulus.frames, inPlace: inPlace, repeating: Self.unwritten)
    driver.inputs.fill(stimulus.inputs, from: 0, frames: stimulus.frames)
  }

  package convenience init(
    _ stimulus: Stimulus, through program: Program, inPlace: Bool = false
  ) throws(ContextError) {
    try self.init(stimulus, through: try Context(program), inPlace: inPlace)
  }

  /// The context that is executed.
  package var context: Context {
    _read { yield driver[0] }
    _modify { yield &driver[0] }
  }

  package var isFinished: Bool { frame == stimulus.frames }

  /// Begins anew with the stimulus; the context goes on from where it is.
  package func rewind() {
    frame = 0
    pending = stimulus.changes[...]
    driver.inputs.fill(stimulus.inputs, from: 0, frames: stimulus.frames)
  }

  /// Executes a block of at most so many frames; it ends before the next change of a parameter.
  package func advance(by most: Int) {
    let parameters = driver[0].parameters
    while let change = pending.first, change.frame <= frame {
      parameters[change.parameter].set(change.value)
      pending.removeFirst()
    }
    // A step is executed by itself.
    let most = driver.program.layout.executesStream ? most : 1
    let count = min(most, min(stimulus.frames, pending.first?.frame ?? stimulus.frames) - frame)
    driver.execute(count, from: frame)
    frame += count
  }

  /// Executes what is left, in blocks whose sizes are taken in turn.
  package func finish(_ blocks: [Int] = [128]) {
    var turn = 0
    while !isFinished {
      advance(by: blocks[turn % blocks.count])
      turn += 1
    }
  }

  /// The rows of all outputs; of steps, one array for each output, step after step.
  package var outputs: [[Float]] {
    (0..<driver.outputs.count).map { driver.output($0, frames: stimulus.frames) }
  }
}
