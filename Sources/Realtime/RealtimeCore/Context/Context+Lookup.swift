// SPDX-License-Identifier: Apache-2.0

/// Names are looked up beforehand; the audio thread uses positions and handles only.
extension Context {
  /// The position of an input among the inputs, or nil where none has the name.
  public func inputIndex(named name: String) -> Int? {
    program.layout.inputs.firstIndex { $0.name == name }
  }

  /// The position of an output among the outputs, or nil where none has the name.
  public func outputIndex(named name: String) -> Int? {
    program.layout.outputs.firstIndex { $0.name == name }
  }

  /// The positions of an input's rows in the table of input rows, or nil where none has the name.
  public func inputRows(named name: String) -> Range<Int>? {
    inputIndex(named: name).map { program.layout.inputs.rows(of: $0) }
  }

  /// The positions of an output's rows in the table of output rows, or nil where none has the name.
  public func outputRows(named name: String) -> Range<Int>? {
    outputIndex(named: name).map { program.layout.outputs.rows(of: $0) }
  }

  /// A handle on a parameter of this context, or nil where none has the name.
  public func parameter(named name: String) -> Parameter? {
    bank.ranges.firstIndex { $0.name == name }.map { Parameter(bank, $0) }
  }

  /// Handles on all parameters of this context, in the model's order.
  public var parameters: [Parameter] {
    bank.ranges.indices.map { Parameter(bank, $0) }
  }
}

extension [ProgramLayout.Port] {
  /// The positions of a port's rows in a table of the rows of all these ports.
  fileprivate func rows(of index: Int) -> Range<Int> {
    let first = self[..<index].reduce(0) { $0 + $1.rows }
    return first..<(first + self[index].rows)
  }
}
