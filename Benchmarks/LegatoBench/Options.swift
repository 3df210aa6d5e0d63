// SPDX-License-Identifier: Apache-2.0

/// The options of the command line.
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
  /// Whether files are replaced that exist.
  var replaceExisting = false
  /// The processor that everything runs on; nil for the first one that the process may use.
  var processor: Int32?
  /// The CPU whose instructions are counted, where callgrind runs this program for another run of it.
  var callgrindCPU: String?
  /// Whether, instead of measuring, the rules are broken that executes are watched for.
  var testsItself = false
  var wantsHelp = false

  static let help = """
    legato-bench: how long executing, rendering and compiling take, beside C written by hand

    usage
      swift run -c release legato-bench [--filter TEXT] [--quick] [--json FILE] [--plot FILE [--peers FILE]]
                                        [--force] [--processor N]
      swift run -c release legato-bench --self-test

    64 executes of each row are watched: where one takes memory from the heap, gives it back, locks, enters the kernel or faults,
    the program ends with status 1.

    options
      --filter TEXT            only rows whose names contain TEXT
      --quick                  fewer rounds: below 40 s, and noisier
      --json FILE              writes the figures into FILE, too
      --plot FILE              measures blocks of all sizes, whatever --filter says, and draws them as SVG
      --peers FILE             draws other programs, too: what Benchmarks/peers/compare --json wrote
      --force                  replaces files that exist
      --processor N            stays on processor N (default: the first one allowed)
      --self-test              breaks each of these rules on purpose, and says whether that is found
      --within-callgrind CPU   executes what is to be counted, and nothing else: so callgrind runs this program
      --help                   this text

    example
      swift run -c release legato-bench --filter "bitcrusher stereo" --json figures.json

    """

  /// - Throws: `UsageError` with what was not understood.
  init(_ arguments: some Sequence<String>) throws {
    var words = Array(arguments)[...]
    while let word = words.popFirst() {
      // `--option=value` is what the command understands, too.
      let parts = word.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
      let attached = word.hasPrefix("--") && parts.count == 2 ? parts[1] : nil
      let option = attached == nil ? word : parts[0]
      func value() throws -> String {
        guard let value = attached ?? words.popFirst(), !value.isEmpty else {
          throw UsageError("\(option) needs a value; see --help")
        }
        return value
      }
      func isOn() throws -> Bool {
        guard attached == nil else { throw UsageError("\(option) takes no value; see --help") }
        return true
      }
      switch option {
      case "--filter": filter = try value()
      case "--quick": isQuick = try isOn()
      case "--json": jsonPath = try value()
      case "--plot": plotPath = try value()
      case "--peers": peersPath = try value()
      case "--force": replaceExisting = try isOn()
      case "--processor":
        let text = try value()
        guard let number = Int32(text), number >= 0 else {
          throw UsageError("--processor takes a number from 0 on, not '\(text)'")
        }
        processor = number
      case "--self-test": testsItself = try isOn()
      case "--within-callgrind": callgrindCPU = try value()
      case "--help", "-h": wantsHelp = try isOn()
      default: throw UsageError("'\(word)' is not an option; see --help")
      }
    }
    if replaceExisting, jsonPath == nil, plotPath == nil {
      throw UsageError("--force is of use with --json FILE or --plot FILE only")
    }
    if peersPath != nil, plotPath == nil { throw UsageError("--peers is of use with --plot FILE only") }
    for (option, path) in [("--json", jsonPath), ("--plot", plotPath)] where path == "-" {
      throw UsageError("\(option) takes a file, not '-': the table goes to standard output")
    }
    if let jsonPath, jsonPath == plotPath { throw UsageError("--json and --plot name the same file") }
  }

  func wants(_ name: String) -> Bool { filter.map(name.contains) ?? true }
}

struct UsageError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}
