// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import Legato

/// The inputs, outputs and states of a step.
package struct StepInterface: Encodable {
  package struct Port: Encodable {
    package let name: String
    /// Nil where it is not known before all axes are.
    package let shape: [ModelReport.Axis]?
    /// The kind of its numbers, such as float32.
    package let type: String
    /// The file's own name; nil where it is the same.
    package let original: String?
    /// How a picture becomes its numbers; nil where it takes none.
    package let image: String?
    /// How many labels there are for the numbers along its last axis; nil where there are none.
    package let labels: Int?
    package let description: String?

    init(
      _ name: String, _ shape: [ModelReport.Axis]?, type: String = "float32", original: String? = nil,
      image: String? = nil, labels: Int? = nil, description: String? = nil
    ) {
      (self.name, self.shape, self.image, self.labels) = (name, shape, image, labels)
      (self.type, self.description) = (type, description)
      self.original = original == name ? nil : original
    }
  }

  package let model: String
  package let inputs, outputs: [Port]
  /// Nil where it is not known before all axes are.
  package let state: [Port]?
  /// Named axes that nothing says the length of.
  package let open: [String]

  /// - Parameters:
  ///   - compilation: nil where an axis is open.
  ///   - forms: how pictures become the numbers of inputs.
  package init(_ model: Model, _ compilation: Compilation?, _ forms: [String: ImageForm], open: [String]) {
    func numbers(_ shape: [Int]) -> [ModelReport.Axis] { shape.map(ModelReport.Axis.number) }
    self.model = model.name
    self.open = open
    inputs = model.inputs.map { input in
      Port(
        input.name, input.shape.map(ModelReport.Axis.init), type: input.type, original: input.original,
        image: forms[input.name]?.description,
        description: input.summary.isEmpty ? nil : input.summary)
    }
    outputs = model.outputs.enumerated().map { row, name in
      Port(
        name, (compilation?.layout.outputs[row].shape).map(numbers), type: model.type(ofOutput: name),
        original: model.original(ofOutput: name), labels: model.labels(of: name)?.count)
    }
    state = compilation?.states.map { Port($0.name, numbers($0.shape)) }
  }
}
