// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Values that would have to be known while the model is translated, and what makes them so.
extension ONNXTranslator {
  /// The option that puts numbers in place of the inputs on which such values depend; empty where that would not help.
  func remedy(_ error: ONNXError, in scope: ONNXScope) -> String {
    let ports = origins(of: error.unknown, in: scope)
    guard !ports.isEmpty, ports.allSatisfy(\.takesFewNumbers) else { return "" }
    let options = ports.map { "--bind \(printable($0.name))=\($0.formOfNumbers)" }
    let names = alternatives(ports.map { quoted($0.name) }, "and")
    let inputs = ports.count == 1 ? "input" : "inputs"
    let numbers = ports.count == 1 && ports[0].isSingleNumber ? "a number" : "numbers"
    let verb = ports.count == 1 ? "puts" : "put"
    return "; \(options.joined(separator: " ")) \(verb) \(numbers) in place of the \(inputs) \(names)"
  }

  /// The inputs of the model from which values are computed; what is known already depends on none.
  private func origins(of names: [String], in scope: ONNXScope) -> [ONNXPort] {
    var (left, seen): ([String], Set<String>) = (names, [])
    while let name = left.popLast() {
      guard case .value(let value)? = scope[name], value.constant == nil, seen.insert(name).inserted else {
        continue
      }
      left += scope.makerAround(of: name)?.inputs ?? []
    }
    return model.graph.givenInputs.filter { seen.contains($0.name) }
  }
}

extension ONNXPort {
  /// Whether a shape, positions or a choice go in, rather than data.
  fileprivate var takesFewNumbers: Bool {
    let extents = (shape ?? []).map { axis in
      if case .number(let number) = axis { Int(clamping: number) } else { 1 }
    }
    return extents.numbers.map { $0 <= 4096 } ?? false
  }

  /// The form in which an option says its numbers: N, a list, or a file of more axes.
  fileprivate var formOfNumbers: String {
    if isSingleNumber { return "N" }
    return shape?.count == 1 ? "[…]" : "FILE"
  }
}
