// SPDX-License-Identifier: Apache-2.0

/// A function of a source text that is annotated `@_noLocks`.
struct AnnotatedFunction {
  /// From the annotation to the brace that opens the body.
  let signature: Substring
  /// From behind the opening brace to before the closing one.
  let body: Substring

  static func all(in text: String) -> [AnnotatedFunction] {
    var functions: [AnnotatedFunction] = []
    var rest = text[...]
    while let annotation = rest.firstRange(of: "@_noLocks") {
      rest = rest[annotation.lowerBound...]
      guard let brace = rest.firstIndex(of: "{") else { break }
      let signature = rest[..<brace]
      rest = rest[rest.index(after: brace)...]
      var depth = 1
      let end = rest.firstIndex { character in
        if character == "{" { depth += 1 } else if character == "}" { depth -= 1 }
        return depth == 0
      }
      functions.append(AnnotatedFunction(signature: signature, body: rest[..<(end ?? rest.endIndex)]))
    }
    return functions
  }

  /// Whether one of its parameters is a function.
  var takesFunction: Bool {
    var depth = 0
    return zip(signature, signature.dropFirst()).contains { character, next in
      if character == "(" { depth += 1 } else if character == ")" { depth -= 1 }
      return depth > 0 && character == "-" && next == ">"
    }
  }

  /// Whether its body is an expression whose value it gives back.
  var isExpression: Bool {
    (signature.contains("->") || signature.hasSuffix("get ")) && !body.contains("return")
  }
}
