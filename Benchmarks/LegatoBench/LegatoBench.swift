// SPDX-License-Identifier: Apache-2.0

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
      let options = try Options(CommandLine.arguments.dropFirst())
      if options.wantsHelp { return print(Options.help, terminator: "") }
      try run(options)
    } catch let error as UsageError {
      fail(error.message, status: 2)
    } catch let error as BenchError {
      fail(error.message, status: 1)
    } catch {
      fail("\(error)", status: 1)
    }
  }

  private static func run(_ options: Options) throws {
    if let path = options.plotPath { try BlockSizePicture.checkPlace(path) }
    let peers = try options.peersPath.map { try PeerFigures(contentsOf: $0) }
    let error = hand_pin(Int32(options.processor))
    guard error == 0 else {
      throw BenchError(
        "processor \(options.processor) cannot be had: \(unsafe String(cString: strerror(error)))")
    }
    let table = Table()
    // Before anything makes this process large.
    let rendering = RenderingRows(options: options, table: table)
    let rendered = try rendering.measure()
    let batch = BatchRows(options: options, processor: Int32(options.processor), table: table)
    let batched = try batch.measure()
    // As audio threads do, and as the C kernels need it to be equal.
    _ = hand_count_denormals_as_zero()
    let begin = Clock.nanoseconds
    _ = try LLVMLibrary.shared()
    let loading = Clock.nanoseconds - begin

    try Machine.describe(in: table, loading: loading)
    let race = Race(rounds: options.isQuick ? 300 : 3000)
    try BitcrusherRows(options: options, race: race, table: table).run()
    try MicroRows(options: options, race: race, table: table).run()
    try FoldRows(options: options, race: race, table: table).run()
    try PrimitiveRows(options: options, race: race, table: table).run()
    try GraphRows(options: options, race: race, table: table).run()
    try ChainRows(options: options, race: race, table: table).run()
    rendering.show(rendered)
    batch.show(batched)
    try CompileRows(options: options, table: table).run()
    if let path = options.plotPath {
      let points = try BlockSizeRows(race: race, table: table).run()
      try BlockSizePicture(points, peers: peers).write(to: path)
    }
    table.note("\nload \(Machine.load)")
    if let path = options.jsonPath { try table.json().write(to: URL(fileURLWithPath: path)) }
  }

  private static func fail(_ message: String, status: Int32) -> Never {
    FileHandle.standardError.write(Data("legato-bench: \(message)\n".utf8))
    exit(status)
  }
}
