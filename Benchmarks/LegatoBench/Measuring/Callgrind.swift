// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// Runs this program in valgrind's callgrind, which counts every instruction of what is marked by
/// `hand_begin_counting` and `hand_end_counting`, and nothing else.
///
///     legato-bench ─▶ valgrind --tool=callgrind legato-bench --within-callgrind CPU ─▶ a file of counts for each mark
enum Callgrind {
  enum Outcome {
    /// Why nothing was counted.
    case left(String)
    /// How many instructions there were at each mark.
    case counted([String: Double])
  }

  static func run(_ options: Options, cpu: String) throws -> Outcome {
    guard let valgrind else { return .left("there is no valgrind here") }
    let folder = FileManager.default.temporaryDirectory.appending(path: "legato-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let (counts, messages) = (folder.appending(path: "counts"), folder.appending(path: "messages"))
    try Data().write(to: messages)
    let program = folder.appending(path: "legato-bench")
    try Data(HiddenDebugInfo.hiding([UInt8](try Data(contentsOf: OwnProgram.file)))).write(to: program)
    try FileManager.default.setAttributes([.posixPermissions: 0o700], ofItemAtPath: program.path)
    let process = Process()
    process.executableURL = valgrind
    var arguments = ["--quiet", "--tool=callgrind", "--instr-atstart=no"]
    arguments += ["--callgrind-out-file=\(counts.path)", program.path, "--within-callgrind", cpu]
    if options.isQuick { arguments.append("--quick") }
    if let processor = options.processor { arguments += ["--processor", "\(processor)"] }
    if let filter = options.filter { arguments += ["--filter", filter] }
    process.arguments = arguments
    process.standardOutput = FileHandle.nullDevice
    process.standardError = try FileHandle(forWritingTo: messages)
    try process.run()
    process.waitUntilExit()
    guard process.terminationReason == .exit, process.terminationStatus == 0 else {
      let said = String(decoding: try Data(contentsOf: messages), as: UTF8.self)
      let last = said.split(whereSeparator: \.isNewline).last ?? "without a word"
      return .left("callgrind ended with status \(process.terminationStatus): \(last)")
    }
    let files = try FileManager.default.contentsOfDirectory(at: folder, includingPropertiesForKeys: nil)
    let found = try files.filter { $0.lastPathComponent.hasPrefix("counts") }.compactMap { file in
      Self.count(in: String(decoding: try Data(contentsOf: file), as: UTF8.self))
    }
    return .counted(Dictionary(found, uniquingKeysWith: { $1 }))
  }

  private static var valgrind: URL? {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    return folders.map { URL(fileURLWithPath: "\($0)/valgrind") }
      .first { FileManager.default.isExecutableFile(atPath: $0.path) }
  }

  /// The mark and the count that a file of callgrind's tells of; nil where it was written without a mark.
  static func count(in text: String) -> (String, Double)? {
    func rest(_ beginning: String) -> Substring? {
      text.split(whereSeparator: \.isNewline).first { $0.hasPrefix(beginning) }?.dropFirst(beginning.count)
    }
    guard let name = rest("desc: Trigger: Client Request: "),
      let count = rest("totals: ").flatMap({ Double($0) })
    else { return nil }
    return (String(name), count)
  }
}
