// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Foundation
internal import HandKernels
internal import NativeCode

struct BenchError: Error {
  let message: String

  init(_ message: String) { self.message = message }
}

@main struct LegatoBench {
  static func main() {
    do {
      let options = try Options(Array(CommandLine.arguments.dropFirst()))
      if options.wantsHelp { return print(Options.help, terminator: "") }
      try run(options)
    } catch Failure.usage(let message) {
      fail(message, status: 2)
    } catch let error as BenchError {
      fail(error.message, status: 1)
    } catch let error as AudioFileError {
      fail(error.description + (error.problem == .exists ? "; --force replaces it" : ""), status: 1)
    } catch {
      fail("\(error)", status: 1)
    }
  }

  private static func run(_ options: Options) throws {
    for path in [options.jsonPath, options.plotPath].compactMap({ $0 }) {
      try TextFile.check(path, replaceExisting: options.replaceExisting)
    }
    let peers = try options.peersPath.map { try PeerFigures(contentsOf: $0) }
    let processor = options.processor ?? hand_first_processor()
    try pin(processor)
    if let cpu = options.callgrindCPU { return try countInstructions(options, cpu) }

    if options.testsItself {
      guard try SelfTest().run() else { throw BenchError("the self-test has failed") }
      return
    }

    let table = Table()
    // Before anything makes this process large.
    let rendering = RenderingRows(options: options, table: table)
    let rendered = try rendering.measure()
    let batch = BatchRows(options: options, processor: processor, table: table)
    let batched = try batch.measure()
    // As audio threads do, and as the C kernels need it to be equal.
    _ = hand_count_denormals_as_zero()
    var machine = try Machine.find(processor: processor)
    machine.describe(in: table)

    let subjects = try subjects(table)
    let race = Race(rounds: options.isQuick ? 300 : 3000)
    try CallRows(options: options, table: table, subjects: subjects).run()
    try EmptyRows(options: options, race: race, table: table).run()
    try BitcrusherRows(options: options, race: race, table: table).run()
    try FoldRows(options: options, race: race, table: table).run()
    try PrimitiveRows(options: options, race: race, table: table).run()
    try GraphRows(options: options, race: race, table: table).run()
    try ChainRows(options: options, race: race, table: table).run()
    try LoopRows(options: options, race: race, table: table).run()
    try RecurrentRows(options: options, race: race, table: table).run()
    try CaptureRows(options: options, race: race, table: table).run()
    try TrainingRows(options: options, processor: processor, race: race, table: table).run()
    try SilenceRows(options: options, race: race, table: table).run(subjects)
    try InstructionRows(options: options, table: table, subjects: subjects).run()
    rendering.show(rendered)
    batch.show(batched)
    try CompileRows(options: options, table: table).run()
    var picture: BlockSizePicture?
    if options.plotPath != nil {
      let points = try BlockSizeRows(race: race, table: table).run()
      picture = BlockSizePicture(points, peers: peers)
    }

    let watch = WatchSummary(table.watched)
    watch.describe(in: table)
    machine.loadAfter = Machine.load
    table.note("\nload \(machine.loadAfter)")
    if let filter = options.filter, table.isEmpty {
      throw Failure.usage("no row that can be measured here has '\(filter)' in its name")
    }
    if let path = options.plotPath, let picture {
      try TextFile.write(picture.svg, to: path, replaceExisting: options.replaceExisting)
    }
    if let path = options.jsonPath {
      try TextFile.write(try table.json(machine), to: path, replaceExisting: options.replaceExisting)
    }
    if let offence = watch.offence { throw BenchError(offence) }
  }

  private static func pin(_ processor: Int32) throws {
    let error = hand_pin(processor)
    guard error == 0 else {
      throw Failure.usage("--processor \(processor): \(unsafe String(cString: strerror(error)))")
    }
  }

  /// The models that are shipped are seen from the repository's folder only.
  private static func subjects(_ table: Table) throws -> [Subject] {
    guard FileManager.default.fileExists(atPath: Subject.folder) else {
      table.note("\nthe models are left out: there is no folder '\(Subject.folder)' here")
      return Subject.micro
    }
    return try Subject.shipped() + Subject.micro
  }

  /// Callgrind runs this program for another run of it.
  private static func countInstructions(_ options: Options, _ cpu: String) throws {
    guard hand_is_under_valgrind() != 0 else {
      throw Failure.usage("--within-callgrind is what legato-bench asks of itself in valgrind")
    }
    _ = hand_count_denormals_as_zero()
    let table = Table()
    try InstructionRows(options: options, table: table, subjects: try subjects(table)).count(cpu: cpu)
  }

  private static func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("legato-bench: \(message)\n".utf8))
    exit(status)
  }
}
