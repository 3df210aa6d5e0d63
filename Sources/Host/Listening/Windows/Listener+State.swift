// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato

/// The state of a listener from window to window, by name.
///
///     stateIn [400]      an output of the window before
///     h [1, 16]          what the model itself delays, the oldest first
extension Listener {
  /// The names of all that is remembered: first the inputs that are outputs of the window before, then what the model
  /// delays.
  public var stateNames: [String] { pairs.map(\.input) + runner.states.map(\.name) }

  /// The state at this moment, to go back to. Readings that are no whole window yet are no part of it.
  public func snapshot() -> [String: Tensor] {
    var tensors = states
    for state in runner.states { tensors[state.name] = runner.state(named: state.name) }
    return tensors
  }

  /// Goes back to what was remembered; what is not named stays.
  ///
  /// - Throws: `RequestError` where nothing that is remembered has a name, or a shape is another one; nothing has been
  ///   changed then.
  public mutating func restore(_ tensors: [String: Tensor]) throws(RequestError) {
    let own = runner.states
    for (name, tensor) in tensors.sorted(by: { $0.key < $1.key }) {
      guard let shape = states[name]?.shape ?? own.first(where: { $0.name == name })?.shape else {
        throw RequestError(
          no: "state", called: name, among: stateNames, none: "the model remembers nothing")
      }
      guard shape == tensor.shape else {
        throw RequestError("the state \(quoted(name)) is \(shape), and is given \(tensor.shape)")
      }
    }
    let before = runner.snapshot()
    for (name, tensor) in tensors.sorted(by: { $0.key < $1.key }) where states[name] == nil {
      do throws(RequestError) { try runner.setState(named: name, to: tensor) } catch {
        runner.restore(before)
        throw error
      }
    }
    for (name, tensor) in tensors where states[name] != nil { states[name] = tensor }
  }
}
