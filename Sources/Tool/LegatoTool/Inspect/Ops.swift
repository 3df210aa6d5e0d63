// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR

extension Subcommand {
  static let ops = Subcommand(
    name: "ops", operands: "",
    summary: "lists every function that expressions can call",
    explanation: """
      In a signature, `x?` may be left out, and `axis: 0` is 0 where nothing is said. Arguments are given by position
      or by name: `slice(x, axis: 1, start: 4)`.
      """,
    example: "legato ops", options: [.json, .markdown]
  ) { arguments, console in
    _ = try arguments.operands()
    let text =
      if arguments.has(.json) { try json(OpRow.all) } else if arguments.has(.markdown) { OpRow.page } else {
        console.text(OpRow.all)
      }
    try console.print(text)
  }
}

/// A function as `legato ops` shows it.
private struct OpRow: Encodable {
  let group, name, signature, meaning: String

  static let all =
    functions + [
      OpRow(
        group: "Models", name: Function.modelName, signature: Function.modelSignature,
        meaning: Function.modelMeaning)
    ]

  static let groups = Function.Group.allCases.map(\.rawValue) + ["Models"]

  private static let functions = Function.Group.allCases.flatMap { group in
    Function.all.filter { $0.group == group }.map { function in
      // Operators are written between their operands.
      let names = function.slots.map(\.name)
      let signature =
        function.name.isName ? function.signature : names.joined(separator: " \(function.name) ")
      return OpRow(
        group: group.rawValue, name: function.name, signature: signature, meaning: function.meaning)
    }
  }
}

extension Console {
  fileprivate func text(_ rows: [OpRow]) -> String {
    let width = rows.map(\.signature.count).filter { $0 <= 40 }.max() ?? 0
    return OpRow.groups.map { group in
      let lines = rows.filter { $0.group == group }.map { row in
        // Longer signatures have a line of their own.
        let gap =
          row.signature.count <= width ? String(repeating: " ", count: width - row.signature.count) : nil
        return "  " + row.signature + (gap ?? "\n  " + String(repeating: " ", count: width)) + "  "
          + row.meaning
      }
      return ([heading(group)] + lines).joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
  }
}

extension OpRow {
  /// The article of the documentation that lists the functions.
  static let page =
    """
    # The functions

    Every function that expressions can call, with its arguments and meaning.

    In a signature, `x?` may be left out, and `axis: 0` is 0 where nothing is said. Arguments are given by position or by
    name: `slice(x, axis: 1, start: 4)`. This page is what `legato ops --markdown` prints.


    """
    + groups.map { group in
      let lines = all.filter { $0.group == group }.map { row in
        "| `\(row.signature)` | \(row.meaning.replacing("*", with: #"\*"#)) |"
      }
      return "## \(group)\n\n| function | meaning |\n|---|---|\n" + lines.joined(separator: "\n") + "\n"
    }.joined(separator: "\n")
}
