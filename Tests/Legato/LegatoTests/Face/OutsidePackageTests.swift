// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The programs of the README, built as a package that depends on Legato, as its users build theirs.
///
/// All modules are built once more for it: `LEGATO_OUTSIDE=1` asks for that, and `.ci/run` does.
@Suite(
  .enabled(
    if: ProcessInfo.processInfo.environment["LEGATO_OUTSIDE"] == "1",
    "LEGATO_OUTSIDE=1 builds the README's programs, and Legato once more with them"),
  .waits)
struct OutsidePackageTests {
  @Test func theProgramsOfTheReadmeBuildAndRunOutsideOfThePackage() throws {
    let root = PackageFiles.folder
    let readme = try String(contentsOf: root.appendingPathComponent("README.md"), encoding: .utf8)
    let programs = readme.components(separatedBy: "```swift\n").dropFirst().map {
      $0.components(separatedBy: "```")[0]
    }
    try #require(programs.count == 3)

    let folder = FileManager.default.temporaryDirectory.appendingPathComponent("legato-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: folder) }
    var targets = ""
    for (index, program) in programs.enumerated() {
      let sources = folder.appendingPathComponent("Sources/Example\(index)")
      try FileManager.default.createDirectory(at: sources, withIntermediateDirectories: true)
      try program.write(to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
      targets += """
            .executableTarget(name: "Example\(index)", dependencies: [.product(name: "Legato", package: "Legato")]),

        """
    }
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

    let build = try run(["swift", "build", "--package-path", folder.path], in: folder)
    try #require(build.status == 0, "\(build.output)")
    let crushed = try run([folder.appendingPathComponent(".build/debug/Example0").path], in: root)
    // tanh(4 * 127 / 128) lies nearer to 8 / 8 than to 7 / 8.
    #expect(crushed.output == "1.0\n")
    let built = try run([folder.appendingPathComponent(".build/debug/Example1").path], in: root)
    #expect(built.output.hasSuffix(" bytes for each context\n"))
    let checked = try run([folder.appendingPathComponent(".build/debug/Example2").path], in: root)
    // What the README says that it prints.
    let shown = checked.output.split(separator: "\n").map { "    \($0)\n" }.joined()
    #expect(shown.contains("-inf") && readme.contains(shown), "\(checked.output)")
  }

  private func run(_ command: [String], in folder: URL) throws -> (status: Int32, output: String) {
    let process = Process()
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
