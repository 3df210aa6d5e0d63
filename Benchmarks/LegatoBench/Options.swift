// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface

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

  private static let filter = Option("filter", value: "TEXT", "only rows whose names contain TEXT")
  private static let quick = Option("quick", "fewer rounds: below 40 s, and noisier")
  private static let json = Option("json", value: "FILE", "writes the figures into FILE, too")
  private static let plot = Option(
    "plot", value: "FILE", "measures blocks of all sizes, whatever --filter says, and draws them as SVG")
  private static let peers = Option(
    "peers", value: "FILE", "draws other programs, too: what Benchmarks/peers/compare --json wrote")
  private static let force = Option("force", "replaces files that exist")
  private static let processor = Option(
    "processor", value: "N", "stays on processor N (default: the first one allowed)")
  private static let selfTest = Option(
    "self-test", "breaks each of these rules on purpose, and says whether that is found")
  private static let withinCallgrind = Option(
    "within-callgrind", value: "CPU",
    "executes what is to be counted, and nothing else: so callgrind runs this program")
  private static let all = [
    filter, quick, json, plot, peers, force, processor, selfTest, withinCallgrind, .help,
  ]

  static var help: String {
    """
    legato-bench: how long executing, rendering and compiling take, beside C written by hand

    usage
      swift run -c release legato-bench [--filter TEXT] [--quick] [--json FILE] [--plot FILE [--peers FILE]]
                                        [--force] [--processor N]
      swift run -c release legato-bench --self-test

    64 executes of each row are watched: where one takes memory from the heap, gives it back, locks, enters the kernel or faults,
    the program ends with status 1.

    options
    \(Console.rows(all.map { ($0.listing, $0.meaning) }))

    example
      swift run -c release legato-bench --filter "bitcrusher stereo" --json figures.json

    """
  }

  /// - Throws: `Failure.usage` with what was not understood.
  init(_ words: [String]) throws(Failure) {
    let arguments = try Arguments(words, options: Self.all)
    if let empty = Self.all.first(where: { arguments.value(of: $0) == "" }) {
      throw .usage("\(empty.usage) lacks its value; see --help")
    }
    wantsHelp = arguments.has(.help)
    _ = try arguments.operands()
    filter = arguments.value(of: Self.filter)
    isQuick = arguments.has(Self.quick)
    (jsonPath, plotPath) = (arguments.value(of: Self.json), arguments.value(of: Self.plot))
    peersPath = arguments.value(of: Self.peers)
    replaceExisting = arguments.has(Self.force)
    processor = try arguments.integer(Self.processor, in: 0...Int(Int32.max)).map { Int32($0) }
    testsItself = arguments.has(Self.selfTest)
    callgrindCPU = arguments.value(of: Self.withinCallgrind)
    if replaceExisting, jsonPath == nil, plotPath == nil {
      throw .usage("--force is of use with --json FILE or --plot FILE only")
    }
    if peersPath != nil, plotPath == nil { throw .usage("--peers is of use with --plot FILE only") }
    for (option, path) in [("--json", jsonPath), ("--plot", plotPath)] where path == "-" {
      throw .usage("\(option) takes a file: the table goes to standard output")
    }
    if let jsonPath, jsonPath == plotPath { throw .usage("--json and --plot name the same file") }
  }

  func wants(_ name: String) -> Bool { filter.map(name.contains) ?? true }
}
