// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// An argument of a model, in place of an input or a parameter.
package enum ModelArgument: Sendable {
  case value(TensorType)
  case number(Double)
}

extension Graph {
  /// A model as a part of another one, as far as that can be a graph: each argument that is a value is an input, and
  /// parameters are those that have no argument.
  ///
  /// It is what the use of a model in an expression becomes, so that a builder makes equal graphs.
  ///
  /// - Parameters:
  ///   - inputs: the types of what goes into the model's inputs, in their order.
  ///   - bound: arguments in place of parameters; those that are values are inputs of the graph after the others, by
  ///     their names.
  package init(
    using model: ComposedModel, clock: Clock, sampleRate: Double, inputs: [TensorType],
    bound: [String: ModelArgument]
  ) throws(Diagnostics) {
    let document = model.family.document
    func refuse(_ message: String) -> Diagnostics {
      Diagnostics([Diagnostic(file: document.file, place: nil, message: message)])
    }
    guard !model.family.isOpen else { throw Diagnostics([document.axesWithoutNumbers]) }
    guard document.boundClock == clock else {
      throw refuse(
        "\(quoted(document.name)) has the clock '\(document.boundClock.rawValue)', and the model that uses it "
          + "'\(clock.rawValue)'; models of one clock go together")
    }
    if let stated = model.family.rateStatement, Double(stated.hertz) != sampleRate {
      throw Diagnostics([
        Diagnostic(
          file: stated.file, place: stated.place,
          message:
            "\(quoted(document.name)) is for \(stated.hertz) Hz, and the model that uses it is built for "
            + "\(written(sampleRate)) Hz; build it for \(stated.hertz) Hz, too")
      ])
    }
    guard inputs.count == document.inputs.count else {
      let names = document.inputs.map { quoted($0.name) }.joined(separator: ", ")
      throw refuse(
        "\(quoted(document.name)) takes \(names.isEmpty ? "no signal" : "a signal for each of \(names)"), not \(inputs.count)"
      )
    }
    var composition = model.composition
    var ports: [InputPort] = []
    let composer = Composer(model.family)
    for (input, type) in zip(document.inputs, inputs) {
      ports.append(InputPort(name: "argument.\(ports.count + 1)", type: type))
      composition.define(
        input.name, Expression(name: ports[ports.count - 1].name), at: input.place,
        composer.demand(input, of: document, ""))
    }
    for (name, argument) in bound.sorted(by: { $0.key < $1.key }) {
      guard let row = composition.parameters.firstIndex(where: { $0.name == name }) else {
        throw refuse(unknown("parameter", name, among: composition.parameters.map(\.name)))
      }
      let parameter = composition.parameters.remove(at: row)
      let expression: Expression
      switch argument {
      case .number(let number): expression = Expression(number: number)
      case .value(let type):
        ports.append(InputPort(name: "argument.\(ports.count + 1)", type: type))
        expression = Expression(name: ports[ports.count - 1].name)
      }
      composition.define(
        name, expression, at: parameter.declared.place.inFile(parameter.file),
        .parameter(name: name, range: parameter.declared.minimum...parameter.declared.maximum))
    }
    var importer = Importer(model, composition, arguments: ports, sampleRate: sampleRate)
    guard let graph = importer.graph() else { throw importer.diagnostics.sorted }
    self = graph
  }
}

extension Composition {
  fileprivate mutating func define(
    _ name: String, _ expression: Expression, at place: Place, _ demand: Demand
  ) {
    definitions.append(
      .init(
        name: name, expression: expression, scope: .init(), demand: demand, text: nil, place: place, user: nil
      ))
  }
}
