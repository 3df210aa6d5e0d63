// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing
import VirtualCards

/// The programs of the README and of the articles, built as a package that depends on Legato, as its users build
/// theirs.
///
/// `LEGATO_OUTSIDE=1` asks for that, and `.ci/run` does. It is built beside this package's own products, where its modules
/// are built already, and with the tests' own command as the plugin's tool.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["LEGATO_OUTSIDE"] == "1",
    "LEGATO_OUTSIDE=1 builds the pages' programs"),
  .waits)
struct OutsidePackageTests {
  @Test func theProgramsOfThePagesBuildAndRunOutsideOfThePackage() throws {
    let root = PackageFiles.folder
    let examples = Page.all.flatMap { page in
      page.blocks.filter { $0.language == "swift" }.map { (page: page.name, block: $0) }
    }
    try #require(examples.count >= 4 && examples.contains { $0.page == "README.md" })

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("legato-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var targets = ""
    for (index, program) in examples.enumerated() {
      let sources = folder.appendingPathComponent("Sources/Example\(index)")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      try program.block.text.write(
        to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
      targets += """
            .executableTarget(
              name: "Example\(index)",
              dependencies: [
                .product(name: "Legato", package: "Legato"), .product(name: "LegatoFederated", package: "Legato"),
                .product(name: "LegatoTraining", package: "Legato"), .product(name: "Listening", package: "Legato"),
                .product(name: "StepRunning", package: "Legato"),
              ]),

        """
    }
    let rendering = folder.appendingPathComponent("Sources/Rendering")
    try FileManager.default.createDirectory(at: rendering, withIntermediateDirectories: true)
    try Self.rendering.write(
      to: rendering.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    targets += """
          .executableTarget(
            name: "Rendering", dependencies: [.product(name: "FileRendering", package: "Legato")]),

      """
    let player = folder.appendingPathComponent("Sources/Player")
    try FileManager.default.createDirectory(at: player, withIntermediateDirectories: true)
    try Self.player.write(to: player.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    targets += """
          .executableTarget(name: "Player", dependencies: [.product(name: "LiveHost", package: "Legato")]),

      """
    targets += try Self.makeTyped(in: folder)
    try """
    // swift-tools-version: 6.2
    import PackageDescription
    let package = Package(
      name: "Outside",
      dependencies: [.package(name: "Legato", path: "\(root.path)")],
      targets: [
    \(targets)  ]
    )
    """.write(to: folder.appendingPathComponent("Package.swift"), atomically: true, encoding: .utf8)

    // The package manager that runs these tests holds the lock of the folder of products, and waits meanwhile.
    let products = root.appendingPathComponent(".build")
    let tool = try Self.makeTool(in: products)
    defer { try? FileManager.default.removeItem(at: tool) }
    let build = try run(
      ["swift", "build", "--package-path", folder.path, "--scratch-path", products.path, "--ignore-lock"],
      in: folder, environment: ["LEGATO_PLUGIN": ".build/\(tool.lastPathComponent)"])
    try #require(build.status == 0, "\(build.output)")
    let programs = products.appendingPathComponent("debug")
    for (index, program) in examples.enumerated() {
      let made = try run([programs.appendingPathComponent("Example\(index)").path], in: root)
      #expect(made.status == 0, "\(program.page): \(made.output)")
      // The output as the page states it; what differs from machine to machine stands there as an ellipsis.
      let shown = try #require(program.block.next, "\(program.page) does not show what its program prints")
      #expect(shown.language == "text")
      let pattern = shown.text.split(separator: "…", omittingEmptySubsequences: false)
        .map { NSRegularExpression.escapedPattern(for: String($0)) }.joined(separator: ".+")
      #expect(
        made.output.range(of: "^\(pattern)$", options: .regularExpression) != nil,
        "\(program.page): \(made.output)")
    }

    // What a program renders has the bytes of what the command renders, and bypassed those of what went in.
    let rendered = try run(
      [programs.appendingPathComponent("Rendering").path, folder.path], in: root)
    #expect(rendered.output == "176400 frames, 2 channels\n1 rendered, 1 failed\nno.wav: no such file\n")
    let sound = root.appendingPathComponent("models/audio/pluck-and-drums.wav").path
    let command = RunningProgram.built("legato")
    let words = [
      "process", "models/bitcrusher.json", sound, folder.path + "/tool.wav", "--set", "resolution=4",
    ]
    try #require(run([command] + words, in: root).status == 0)
    let files = try ["tool.wav", "program.wav", "batch/pluck-and-drums.wav"].map {
      try Data(contentsOf: folder.appendingPathComponent($0))
    }
    #expect(files[0] == files[1] && files[0] == files[2])
    #expect(try Sound.read(folder.path + "/bypassed.wav") == Sound.read(sound))
    try expectTypedNumbers(of: programs.appendingPathComponent("Typed").path, in: folder)
    try expectPlayedSound(by: programs.appendingPathComponent("Player").path, in: folder)
  }

  /// The tests' command as what a plugin can call without building it.
  private static func makeTool(in products: URL) throws -> URL {
    let bundle = products.appendingPathComponent("Tool.artifactbundle")
    try? FileManager.default.removeItem(at: bundle)
    try FileManager.default.createDirectory(at: bundle, withIntermediateDirectories: true)
    try FileManager.default.createSymbolicLink(
      atPath: bundle.appendingPathComponent("legato").path,
      withDestinationPath: RunningProgram.built("legato"))
    try """
    { "schemaVersion": "1.0", "artifacts": { "LegatoTool": { "type": "executable", "version": "1", "variants": [
      { "path": "legato", "supportedTriples": ["x86_64-unknown-linux-gnu", "aarch64-unknown-linux-gnu"] }] } } }
    """.write(to: bundle.appendingPathComponent("info.json"), atomically: true, encoding: .utf8)
    return bundle
  }

  /// Renders a file, then it and one that is missing as a batch, then it with the model bypassed.
  private static let rendering = """
    import FileRendering

    let sound = "models/audio/pluck-and-drums.wav"
    let folder = CommandLine.arguments[1]
    let model = try Model(contentsOf: "models/bitcrusher.json")
    let renderer = try FileRenderer(model, settings: [model.setting("resolution", to: "4")])
    let file = try renderer.render(sound, to: folder + "/program.wav")
    print("\\(file.frames) frames, \\(file.channels) channels")

    let plan = try BatchPlan(Batch([sound, "no.wav"], into: folder + "/batch"), for: renderer)
    let result = try BatchRun(plan).run()
    print("\\(result.rendered) rendered, \\(result.failed + plan.failures.count) failed")
    for failure in plan.failures { print(failure.line) }

    let bypassed = try model.with([.bypass])
    var options = RenderOptions()
    options.dither = .none
    let settings = try [bypassed.setting("bypass", to: 1)]
    _ = try FileRenderer(bypassed, settings: settings, options: options)
      .render(sound, to: folder + "/bypassed.wav")
    """

  /// A program that plays half a second, a quarter as loud, on the device that it finds.
  private static let player = """
    import LiveHost

    let model = try LiveModel(contentsOf: "model.json")
    var request = LiveRequest(device: "duplex")
    (request.rate, request.period, request.seconds) = (48_000, 1024, 0.5)
    request.settings = [try model.model.setting("gain", to: 0.25)]
    let player = try LivePlayer(model, request)
    try player.start()
    while player.state != .ended {
      try player.wait(atMost: 1)
      player.look()
    }
    let report = player.close()
    print(report.record.frames, report.record.account.overruns, report.record.account.underruns)

    """

  /// A sound that comes in as a half goes out as an eighth, to the last frame before the fade.
  private func expectPlayedSound(by program: String, in folder: URL) throws {
    try """
    { "legato": 1, "name": "Gain", "inputs": { "x": { "shape": ["channels", "frames"] } },
      "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4 } },
      "graph": { "y": "x * gain" }, "outputs": ["y"] }
    """.write(to: folder.appendingPathComponent("model.json"), atomically: true, encoding: .utf8)
    var settings = CardSettings { $0.formats = [.float] }
    settings.source = .samples([[Double]](repeating: [Double](repeating: 0.5, count: 30_000), count: 2))
    let card = try VirtualCard(settings)
    let made = try run([program], in: folder, environment: card.environment)
    #expect(made.status == 0 && made.output == "24000 0 0\n", "\(made.output)")
    let played = try card.played.samples
    #expect(played.count == 2)
    for channel in played {
      // Silence for the latency of three periods, the sound, and its fade of 10 ms.
      #expect(channel[..<3072].allSatisfy { $0 == 0 })
      #expect(channel[3072..<3072 + 24_000 - 480].allSatisfy { $0 == 0.125 })
    }
  }

  func run(
    _ command: [String], in folder: URL, environment: [String: String] = [:]
  ) throws -> (status: Int32, output: String) {
    let process = Process()
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = command
    process.currentDirectoryURL = folder
    let pipe = Pipe()
    process.standardOutput = pipe
    process.standardError = pipe
    try process.run()
    let output = pipe.fileHandleForReading.readDataToEndOfFile()
    process.waitUntilExit()
    return (process.terminationStatus, String(decoding: output, as: UTF8.self))
  }
}
