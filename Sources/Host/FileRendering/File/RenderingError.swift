// SPDX-License-Identifier: Apache-2.0

public import AudioIO
public import Legato

/// An error of rendering. Each line begins with the file at fault, if there is one.
public enum RenderingError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The request does not fit the model or the file; the sentence says what to ask for instead.
  case request(RequestError)
  /// The model cannot be compiled.
  case model(ModelError)
  /// The model is none that renders files: it executes steps, or has no input where there is a file, or one where there
  /// is none.
  case unfit(String)
  /// A file cannot be read or written.
  case file(AudioFileError)
  /// A file of points is wrong: a line for each fault.
  case points([String])
  /// Files stand in the places of outputs, and may not be replaced.
  case standing(RequestError)
  /// The first number that is not finite, and what made it.
  case notFinite(String)
  /// There is no memory for a context.
  case context(ContextError)

  /// One line for each fault, with the names that Legato has for the parts of a request.
  public var description: String { lines { $0.rawValue }.joined(separator: "\n") }

  /// One line for each fault, with a program's own names for the parts of a request.
  public func lines(calling name: (RequestError.Name) -> String) -> [String] {
    switch self {
    case .request(let error), .standing(let error): [error.text(calling: name)]
    case .model(.invalid(let problems)): problems.map(\.description)
    case .model(let error): [error.description]
    case .unfit(let sentence), .notFinite(let sentence): [sentence]
    case .file(let error) where error.problem == .exists:
      [error.description + "; \(name(.replacesExisting)) replaces it"]
    case .file(let error): [error.description]
    case .points(let lines): lines
    case .context(let error): [error.description]
    }
  }

  /// The same of an error that any step on a file's way has thrown.
  init(_ error: any Error) {
    switch error {
    case let error as RenderingError: self = error
    case let error as RequestError: self = .request(error)
    case let error as ModelError: self = .model(error)
    case let error as AudioFileError: self = .file(error)
    case let error as ContextError: self = .context(error)
    case _: self = .unfit("\(error)")
    }
  }

  /// Does something of which every error is one of these.
  static func of<Result>(_ body: () throws -> Result) throws(RenderingError) -> Result {
    do { return try body() } catch { throw RenderingError(error) }
  }
}

extension RequestError.Name {
  /// `RenderOptions.block`.
  public static let block = RequestError.Name(rawValue: "block")
  /// `RenderOptions.tail`.
  public static let tail = RequestError.Name(rawValue: "tail")
  /// `RenderOptions.replacesExisting`.
  public static let replacesExisting = RequestError.Name(rawValue: "replacesExisting")
  /// The format of sound without a header.
  public static let raw = RequestError.Name(rawValue: "raw")
  /// `Batch.folder`.
  public static let folder = RequestError.Name(rawValue: "folder")
  /// `Batch.suffix`.
  public static let suffix = RequestError.Name(rawValue: "suffix")
  /// `Batch.isRecursive`.
  public static let isRecursive = RequestError.Name(rawValue: "isRecursive")
  /// `Batch.resumes`.
  public static let resumes = RequestError.Name(rawValue: "resumes")
}
