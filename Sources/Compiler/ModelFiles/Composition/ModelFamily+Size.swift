// SPDX-License-Identifier: Apache-2.0

import GraphIR
import JSONReading

extension ModelFamily {
  /// The size of a model, once those that it uses stand in their places.
  private struct Size {
    var definitions = 0
    var terms = 0
    var parameters = 0
    var levels = 1
    /// Of all names, as the whole says them: those of models within models grow longer.
    var nameBytes = 0

    /// Counts that nobody reaches stand for all above them.
    ///
    /// - Parameter prefix: the bytes that names of the other model begin with.
    mutating func add(_ other: Size, behind prefix: Int) {
      let most = 1 << 40
      definitions = min(definitions + other.definitions, most)
      terms = min(terms + other.terms, most)
      parameters = min(parameters + other.parameters, most)
      levels = max(levels, other.levels + 1)
      let names = other.definitions + other.terms + other.parameters
      nameBytes = min(nameBytes + other.nameBytes + min(names, most / 1024) * prefix, most)
    }

    var excess: String? {
      let counts = [
        (definitions, "values", ModelDocument.maximumGraphEntries), (terms, "terms", Limits.terms),
        (parameters, "parameters", ModelDocument.maximumParameters),
        (levels, "levels", ModelFamily.maximumLevels), (nameBytes, "bytes of names", 1 << 28),
      ]
      return counts.first { $0.0 > $0.2 }.map { "more than \($0.2) \($0.1), which are the most" }
    }
  }

  /// The limit that models in their places exceed, at the use that brings most; nil where there is none.
  ///
  /// It counts before anything is put together: ten files that use each other ten times are found to be too many in
  /// no time.
  func excess() -> Mistake? {
    var sizes: [Size] = []
    // Those that a model uses stand before it.
    for member in members {
      var size = Size(definitions: member.document.graph.count, parameters: member.document.parameters.count)
      for (definition, expression) in zip(member.document.graph, member.expressions) {
        size.nameBytes += definition.name.utf8.count + definition.expression.text.utf8.count
        guard case .success(let expression) = expression else { continue }
        size.terms += expression.terms.count
        for call in expression.modelCalls {
          size.definitions += call.arguments.count
          guard let path = call.path, let callee = member.use(path) else { continue }
          // A dot, and perhaps a number and another dot.
          size.add(sizes[callee], behind: definition.name.utf8.count + 8)
        }
      }
      sizes.append(size)
    }
    for stage in stages where !members[stage].uses.isEmpty {
      guard let excess = sizes[stage].excess else { continue }
      return Mistake(
        message: "the model and those that it uses have \(excess)", place: largestUse(in: stage, sizes))
    }
    return nil
  }

  private func largestUse(in stage: Int, _ sizes: [Size]) -> Place? {
    var largest: (terms: Int, place: Place)?
    let member = members[stage]
    for (definition, expression) in zip(member.document.graph, member.expressions) {
      guard case .success(let expression) = expression else { continue }
      for call in expression.modelCalls {
        guard let path = call.path, let callee = member.use(path) else { continue }
        if sizes[callee].terms > largest?.terms ?? -1 {
          largest = (sizes[callee].terms, definition.expression.place(atCharacter: call.offset))
        }
      }
    }
    return largest?.place.inFile(file(of: stage))
  }
}
