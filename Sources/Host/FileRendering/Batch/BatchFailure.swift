// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
public import Legato

/// The failure of one file of a batch.
public struct BatchFailure: Error, Sendable, CustomStringConvertible {
  public let error: RenderingError
  /// The file that met it, of the inputs.
  public let input: String
  /// Whether every other file would meet the same: a full disk, a folder that is gone, a compiler that is missing.
  public let endsRun: Bool
  private let text: Text

  private enum Text: Sendable {
    /// Lines that begin with a place.
    case lines
    /// One that begins with the input.
    case ofInput
    case sentence(RequestError)
  }

  init(_ error: any Error, _ item: BatchPlan.Item, folder: String) {
    let error = RenderingError(error)
    (self.error, input) = (error, item.input)
    switch error {
    case .file(let error) where error.problem == .noSpace || error.problem == .quotaExceeded:
      text = .sentence(
        RequestError("\(folder): \(error.problem.sentence); what is whole stays, \(.resumes) goes on"))
      endsRun = true
    case .file(let error) where error.problem == .missing && error.path == item.input:
      text = .sentence(RequestError("\(Self.missing(item.input))"))
      endsRun = false
    case .file(let error)
    where error.problem == .missing && error.path == item.output || error.problem == .noFolder:
      // However far the file had come when its folder went.
      let missing = Self.missing(item.output)
      endsRun = missing.path == PathText.folder(of: PathText.path(folder, "x"))
      let loss = endsRun ? "; what was in it is gone, too" : ""
      text = .sentence(RequestError("\(missing)\(loss)"))
    case .model(.code): (text, endsRun) = (.lines, true)
    case .request, .unfit, .context: (text, endsRun) = (.ofInput, false)
    case .model, .file, .points, .standing, .notFinite: (text, endsRun) = (.lines, false)
    }
  }

  /// The lines, with the names that Legato has for the parts of a request.
  public var description: String { lines { $0.rawValue }.joined(separator: "\n") }

  /// Lines that begin with the file's path, or with what is at fault for many.
  public func lines(calling name: (RequestError.Name) -> String) -> [String] {
    switch text {
    case .lines: error.lines(calling: name)
    case .ofInput: error.lines(calling: name).map { "\(input): \($0)" }
    case .sentence(let sentence): [sentence.text(calling: name)]
    }
  }

  /// The error of a file that is missing: where a whole folder has gone, that of the folder, the same for all its
  /// files.
  private static func missing(_ path: String) -> AudioFileError {
    var (gone, next) = (path, PathText.folder(of: path))
    while next != gone, next != ".", (try? FileStatus(path: next)) == nil {
      (gone, next) = (next, PathText.folder(of: next))
    }
    return AudioFileError(gone, gone == path ? .missing : .noFolder)
  }
}
