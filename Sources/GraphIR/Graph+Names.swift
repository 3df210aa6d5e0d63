// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// What people call a value: a port, a parameter, weights, or what an author named; nil where it has no name.
  package func name(of value: ValueID) -> String? {
    switch definition(of: value).op {
    case .input(let index): inputs[index].name
    case .parameter(let index): parameters[index].name
    case .weights(let id): self[id].name
    case .literal: nil
    case .unary, .binary, .select, .fma, .slice, .concatenate, .reshape, .transpose, .pad, .broadcast,
      .sum, .maximum, .dense, .convolution, .delay, .tap, .lookahead, .control, .phasor, .noise:
      origins.names[value]
    }
  }
}
