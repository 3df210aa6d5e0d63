// SPDX-License-Identifier: Apache-2.0

import Foundation
import Legato
import TestEquipment
import Testing

/// A package outside that has an object of `legato compile` and the product RealtimeCore, and nothing else of Legato.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["LEGATO_OUTSIDE"] == "1",
    "LEGATO_OUTSIDE=1 builds a package that has RealtimeCore alone"),
  .waits)
struct RealtimeProductTests {
  private static let model = """
    { "legato": 1, "name": "Echo", "inputs": { "x": { "shape": ["frames"] } },
      "parameters": { "gain": { "default": 0.5, "minimum": 0, "maximum": 2, "ramp": 0.01 } },
      "graph": { "y": "gain * x + 0.5 * delay(y, 3)" }, "outputs": ["y"] }
    """

  private static let program = """
    import CEcho
    import RealtimeCore

    let program = try Program(described: ECHO_PROGRAM) { echo_execute($0, $1, $2, $4) }
    var context = try Context(program)
    let gain = context.parameter(named: "gain")!
    for turn in 0..<4 {
      var samples: [Float] = (0..<200).map { Float($0 % 7) - 3 }
      var span = samples.mutableSpan
      context.execute(frames: 200, inPlace: &span)
      for sample in samples { print(sample.bitPattern) }
      gain.set(Float(turn) / 2)
    }

    """

  @Test func anObjectRunsWithRealtimeCoreAndNothingElse() throws {
    let model = try Model(Self.model)
    let library = try model.compilation(sampleRate: 48_000).library()
    let folder = FileManager.default.temporaryDirectory.appending(path: "legato-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    func write(_ text: String, _ path: String) throws {
      let file = folder.appending(path: path)
      try FileManager.default.createDirectory(
        at: file.deletingLastPathComponent(), withIntermediateDirectories: true)
      try Data(text.utf8).write(to: file)
    }
    try write(library.header, "Sources/CEcho/include/CEcho.h")
    try write("#include \"CEcho.h\"\n", "Sources/CEcho/CEcho.c")
    try write(Self.program, "Sources/Outside/main.swift")
    try Data(library.object).write(to: folder.appending(path: "echo.o"))
    try write(
      """
      // swift-tools-version: 6.2
      import PackageDescription
      let package = Package(
        name: "Outside",
        dependencies: [.package(name: "Legato", path: "\(PackageFiles.folder.path)")],
        targets: [
          .target(name: "CEcho"),
          .executableTarget(
            name: "Outside", dependencies: ["CEcho", .product(name: "RealtimeCore", package: "Legato")],
            linkerSettings: [.unsafeFlags(["\(folder.path)/echo.o"])]),
        ]
      )
      """, "Package.swift")
    let build = try Self.run(["swift", "build", "--package-path", folder.path])
    try #require(build.code == 0, "\(build.output)")

    let executable = folder.appending(path: ".build/debug/Outside").path
    let printed = try Self.run([executable]).output.split(separator: "\n").compactMap { UInt32($0) }
    #expect(printed == (try Self.expected(of: model)))
    let libraries = try Self.run(["ldd", executable]).output
    let symbols = try Self.run(["nm", executable]).output
    #expect(libraries.contains("libswiftCore") && symbols.contains("echo_execute"))
    for other in ["Foundation", "asound", "LLVM", "sndfile", "samplerate"] {
      #expect(!libraries.contains(other), "\(libraries)")
    }
    for other in ["Foundation", "snd_pcm", "LLVMCreate", "CLLVM", "GraphIR", "NativeCode", "AudioIO"] {
      #expect(!symbols.contains(other), "a symbol of \(other)")
    }
  }

  /// The output of the same model compiled in memory.
  private static func expected(of model: Model) throws -> [UInt32] {
    var context = try Context(model.compilation(sampleRate: 48_000).program())
    let gain = try #require(context.parameters.first)
    var bits: [UInt32] = []
    for turn in 0..<4 {
      var samples: [Float] = (0..<200).map { Float($0 % 7) - 3 }
      var span = samples.mutableSpan
      context.execute(frames: 200, inPlace: &span)
      bits += samples.map(\.bitPattern)
      gain.set(Float(turn) / 2)
    }
    return bits
  }

  private static func run(_ command: [String]) throws -> (code: Int32, output: String) {
    let process = try Subprocess(command)
    let output = String(decoding: try process.finish(), as: UTF8.self)
    return (process.code, output)
  }
}
