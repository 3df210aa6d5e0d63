// SPDX-License-Identifier: Apache-2.0

/// What the command line asks for.
struct Options {
  /// Rows whose names contain this text; nil for all.
  var filter: String?
  var isQuick = false
  /// Where the figures go as JSON.
  var jsonPath: String?
  /// Where the picture goes.
  var plotPath: String?
  /// Times of other programs that are drawn, too.
  var peersPath: String?
  /// The processor that everything runs on.
  var processor = 0
  var wantsHelp = false

  static let help = """
    legato-bench: how long executing, rendering and compiling take, beside C written by hand

      swift run -c release legato-bench [--filter TEXT] [--quick] [--json FILE]
                                         [--plot FILE [--peers FILE]] [--processor N] [--help]

      --filter TEXT    only rows whose names contain TEXT
      --quick          fewer rounds: about a minute, and noisier
      --json FILE      the figures as JSON, too
      --plot FILE      measures blocks of all sizes, whatever --filter says, and draws them as SVG
      --peers FILE     draws other programs, too: what Benchmarks/peers/compare --json wrote
      --processor N    stay on processor N (default 0)

    """

  /// - Throws: `UsageError` with what was not understood.
  init(_ arguments: some Sequence<String>) throws {
    var arguments = Array(arguments)[...]
    func value(of option: String) throws -> String {
      guard let value = arguments.popFirst() else { throw UsageError("\(option) needs a value") }
      return value
    }
    while let argument = arguments.popFirst() {
      switch argument {
      case "--filter": filter = try value(of: argument)
      case "--quick": isQuick = true
      case "--json": jsonPath = try value(of: argument)
      case "--plot": plotPath = try value(of: argument)
      case "--peers": peersPath = try value(of: argument)
      case "--processor":
        guard let number = Int32(try value(of: argument)), number >= 0 else {
          throw UsageError("--processor needs a number from 0 on")
        }
        processor = Int(number)
      case "--help", "-h": wantsHelp = true
      default: throw UsageError("'\(argument)' is not an option; see --help")
      }
    }
    if peersPath != nil, plotPath == nil { throw UsageError("--peers is of use with --plot FILE only") }
  }

  func wants(_ name: String) -> Bool { filter.map(name.contains) ?? true }
}

struct UsageError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
