// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A program that is looked up in PATH, run to its end with bytes at its standard input.
final class Subprocess {
  private let process = Process()
  private let answer: URL
  private let question: URL

  init(_ words: [String], input: [UInt8] = [], in folder: URL = FileManager.default.temporaryDirectory) throws
  {
    // Files rather than pipes: nobody has to read while the program runs.
    answer = folder.appendingPathComponent("answer-\(UUID().uuidString)")
    question = folder.appendingPathComponent("question-\(UUID().uuidString)")
    try Data(input).write(to: question)
    try Data().write(to: answer)
    process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    process.arguments = words
    process.standardInput = try FileHandle(forReadingFrom: question)
    process.standardOutput = try FileHandle(forWritingTo: answer)
    process.standardError = process.standardOutput
    try process.run()
  }

  deinit { for file in [answer, question] { try? FileManager.default.removeItem(at: file) } }

  /// The exit code, or the negative number of the signal that ended the program.
  var code: Int32 {
    process.terminationReason == .exit ? process.terminationStatus : -process.terminationStatus
  }

  /// Waits, and gives what the program has written.
  func finish() throws -> [UInt8] {
    process.waitUntilExit()
    return Array(try Data(contentsOf: answer))
  }
}
