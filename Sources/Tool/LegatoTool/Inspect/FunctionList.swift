// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import StepRunning

/// The functions of a model file, with what goes in and comes out of each.
struct FunctionList: Encodable {
  struct Function: Encodable {
    let name: String
    let inputs: [StepInterface.Port]
    let outputs: [String]
    let description: String?
  }

  let file: String
  let functions: [Function]

  /// - Returns: nil for a file that is one model, or none.
  /// - Throws: `ModelError` where the form of one is wrong.
  init?(contentsOf path: String, _ arguments: Arguments) throws {
    guard let names = Model.functions(ofFile: path), !names.isEmpty else { return nil }
    let extents = try arguments.bound()
    file = path
    functions = try names.map { name in
      let model = try Model(contentsOf: path, function: name, extents: extents)
      let interface = StepInterface(model, nil, [:], open: model.symbols)
      return Function(
        name: name, inputs: interface.inputs, outputs: model.outputs,
        description: model.summary.isEmpty ? nil : model.summary)
    }
  }
}

extension Console {
  func text(_ list: FunctionList) -> String {
    let rows = list.functions.map { function in
      let inputs = function.inputs.map { input in
        "\(input.name) [\((input.shape ?? []).map(\.description).joined(separator: ", "))]"
      }
      return [
        function.name, inputs.joined(separator: ", "), "▸ " + function.outputs.joined(separator: ", "),
        function.description.map { printable($0, limit: 1000) } ?? "",
      ]
    }
    return heading("functions") + "\n" + Self.table(rows) + "\n"
  }
}
