// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import HandKernels

/// The command `legato` that was built beside this program, whose processes are measured.
struct LegatoCommand {
  /// The measurements of processes, or the reason why there are none.
  enum Outcome<Measured> {
    /// A measurement that was not wanted, or the reason why it could not be made.
    case left(String?)
    case measured(Measured, FilePlace)
  }

  /// The model through which files go, from the repository's folder.
  static let model = "models/bitcrusher.json"

  private let path: String

  /// Measures with the command, in a folder that is there as long.
  static func measuring<Measured>(
    _ measure: (LegatoCommand, FilePlace, _ folder: URL) throws -> Measured
  ) throws -> Outcome<Measured> {
    let path = OwnProgram.file.deletingLastPathComponent().appending(path: "legato").path
    guard FileManager.default.isExecutableFile(atPath: path) else {
      return .left("\(path) is not there; build it: swift build -c release --product legato")
    }
    guard FileManager.default.isReadableFile(atPath: model) else {
      return .left("\(model) is not there; run from the repository's folder")
    }
    let place = FilePlace.find()
    let folder = place.folder.appending(path: "legato-bench-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    // The round that warms up compiles the model; the later ones are what a second call takes.
    unsafe setenv("LEGATO_CACHE", folder.appending(path: "code").path, 1)
    return .measured(try measure(LegatoCommand(path: path), place, folder), place)
  }

  /// Runs `legato process` on the model; what it took.
  func process(_ words: [String]) throws -> hand_run_usage {
    let arguments = [path, "process", Self.model] + words + ["--quiet"]
    var pointers = unsafe arguments.map { unsafe strdup($0) } + [nil]
    defer { for index in unsafe pointers.indices { unsafe free(pointers[index]) } }
    var usage = hand_run_usage()
    let error = unsafe hand_run(&pointers, &usage)
    guard error == 0 else {
      throw BenchError("\(path) does not start: \(unsafe String(cString: strerror(error)))")
    }
    guard usage.status == 0 else { throw BenchError("\(path) ended with status \(usage.status)") }
    return usage
  }
}
