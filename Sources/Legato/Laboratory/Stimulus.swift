// SPDX-License-Identifier: Apache-2.0

package import ReferenceInterpreter

/// The inputs of a run, and the parameters that are set on the way.
///
/// In a stream the inputs are the rows of all ports, with a number for each frame; in a graph of steps they are one
/// array for each port, its numbers step after step. Outputs are laid out alike.
package struct Stimulus: Sendable {
  package var inputs: [[Float]]
  /// Frames, or steps.
  package var frames: Int
  /// In the order in which they are set.
  package var changes: [ParameterEvent]

  package init(inputs: [[Float]], frames: Int, changes: [ParameterEvent] = []) {
    self.inputs = inputs
    self.frames = frames
    self.changes = changes
  }

  /// The same input while parameters stand at some values, one for each.
  func standing(at values: [Float]) -> Stimulus {
    let settings = values.enumerated().map { ParameterEvent(frame: 0, parameter: $0, value: $1) }
    return Stimulus(inputs: inputs, frames: frames, changes: settings)
  }
}
