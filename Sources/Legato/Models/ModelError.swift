// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import NativeCode

/// The reason why a model does not become a program.
public enum ModelError: Error, Hashable, Sendable, CustomStringConvertible {
  /// One thing that is wrong with a model.
  public struct Problem: Hashable, Sendable, CustomStringConvertible {
    /// The file as it was named, or the model's name where there is no file.
    public var file: String
    /// One-based line and column in the file, or nil where the problem has no one place.
    public var place: (line: Int, column: Int)? { line.map { ($0, column) } }
    /// The mistake and its remedy.
    public var message: String
    /// The file that is missing or damaged, where that is another one: what the place names.
    package var culprit: String?

    private var line: Int?
    private var column: Int

    public var description: String {
      line.map { "\(file):\($0):\(column): \(message)" } ?? "\(file): \(message)"
    }

    init(_ diagnostic: Diagnostic) {
      file = diagnostic.file
      line = diagnostic.place?.line
      column = diagnostic.place?.column ?? 0
      message = diagnostic.message
      culprit = diagnostic.culprit
    }
  }

  /// The file could not be read.
  case unreadable(path: String, reason: String)
  /// The model is wrong; all problems that could be found, in the order of the text.
  case invalid([Problem])
  /// The machine code could not be made, for example because libLLVM is not installed.
  case code(String)

  /// One line for each problem.
  public var description: String {
    switch self {
    case .unreadable(let path, let reason): "\(path): \(reason)"
    case .invalid(let problems): problems.map(\.description).joined(separator: "\n")
    case .code(let message): message
    }
  }

  init(_ diagnostics: Diagnostics) { self = .invalid(diagnostics.all.map(Problem.init)) }

  init(_ error: NativeCodeError) { self = .code(error.description) }
}
