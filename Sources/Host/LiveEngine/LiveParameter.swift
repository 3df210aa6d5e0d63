// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore

/// One parameter of all contexts that a program has side by side. It may be turned from any thread, as `Parameter`.
package struct LiveParameter: Sendable {
  private let handles: [Parameter]

  /// - Parameter handles: the same parameter of each context, at least one.
  init(_ handles: [Parameter]) { self.handles = handles }

  /// Name, minimum, maximum, initial value, unit, and the frames of a ramp.
  package var range: ProgramLayout.ParameterRange { handles[0].range }
  package var name: String { handles[0].name }

  /// The value that was last set, within its range.
  package var value: Float { handles[0].value }

  /// Asks for a value in all contexts; it is clamped to the range, and a NaN is ignored.
  package func set(_ value: Float) {
    // An iterator would take memory from the heap in debug builds.
    for index in handles.indices { handles[index].set(value) }
  }
}
