// SPDX-License-Identifier: Apache-2.0

package import Foundation
internal import Glibc

/// The results of a program's run.
package struct ProgramRun {
  package let output: String
  package let messages: String
  /// The exit code, or the negative number of the signal that ended the run.
  package let code: Int32

  /// Messages, one a line.
  package var lines: [String] {
    messages.split(separator: "\n", omittingEmptySubsequences: false).dropLast().map(String.init)
  }
}

/// A program that was started, with nothing at its standard input.
package final class RunningProgram {
  package let process = Process()
  private let output = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)
  private let messages = FileManager.default.temporaryDirectory.appendingPathComponent(UUID().uuidString)

  /// - Parameters:
  ///   - folder: where it runs.
  ///   - environment: what is added to that of the tests.
  package init(
    _ program: String, _ arguments: [String], in folder: String, environment: [String: String] = [:]
  ) throws {
    // Files rather than pipes: nobody has to read while the program runs.
    for file in [output, messages] { try Data().write(to: file) }
    process.executableURL = URL(fileURLWithPath: program)
    process.arguments = arguments
    process.currentDirectoryURL = URL(fileURLWithPath: folder)
    process.environment = ProcessInfo.processInfo.environment.merging(environment) { $1 }
    process.standardInput = FileHandle.nullDevice
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardError = try FileHandle(forWritingTo: messages)
    Self.heedSignals()
    try process.run()
  }

  deinit { for file in [output, messages] { try? FileManager.default.removeItem(at: file) } }

  /// Undoes what a shell begins its jobs in the background with, or a profiler its program, and what children would
  /// inherit: signals that are ignored.
  package static func heedSignals() {
    for number in [SIGINT, SIGQUIT, SIGUSR1, SIGUSR2] { signal(number, SIG_DFL) }
  }

  /// The messages so far.
  package var said: String { get throws { String(decoding: try Data(contentsOf: messages), as: UTF8.self) } }

  /// Waits for the end. A program that does not come to one is killed after ten minutes, so that its test fails.
  package func finish() throws -> ProgramRun {
    let number = process.processIdentifier
    let patience = DispatchWorkItem { kill(number, SIGKILL) }
    DispatchQueue.global().asyncAfter(deadline: .now() + 600, execute: patience)
    process.waitUntilExit()
    patience.cancel()
    let status = process.terminationStatus
    return ProgramRun(
      output: String(decoding: try Data(contentsOf: output), as: UTF8.self), messages: try said,
      code: process.terminationReason == .exit ? status : -status)
  }

  /// The path of a program that the package builds: it stands in the folder of the tests' own program.
  package static func built(_ name: String) -> String {
    let own = (try? FileManager.default.destinationOfSymbolicLink(atPath: "/proc/self/exe")) ?? ""
    let candidates = [own, CommandLine.arguments[0]] + Bundle.allBundles.map(\.bundlePath)
    let paths = candidates.map { ($0 as NSString).deletingLastPathComponent + "/" + name }
    return paths.first(where: FileManager.default.isExecutableFile)
      ?? "no program called \(name) beside the tests"
  }
}
