// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato

/// Why a file of a batch was not rendered, in lines that begin with its path, or with what is at fault for many.
struct BatchFailure {
  let lines: [String]
  /// Whether every other file would meet the same.
  let endsRun: Bool

  init(_ error: any Error, _ item: BatchPlan.Item, folder: String) {
    switch error {
    case let error as AudioFileError where error.problem == .noSpace || error.problem == .quotaExceeded:
      lines = ["\(folder): \(error.problem.sentence); what is whole stays, --resume goes on"]
      endsRun = true
    case let error as AudioFileError where error.problem == .missing && error.path == item.input:
      lines = [Self.missing(item.input).description]
      endsRun = false
    case let error as AudioFileError
    where error.problem == .missing && error.path == item.output || error.problem == .noFolder:
      // However far the file had come when its folder went.
      let missing = Self.missing(item.output)
      endsRun = missing.path == PathText.folder(of: PathText.path(folder, "x"))
      lines = [missing.description + (endsRun ? "; what was in it is gone, too" : "")]
    case ModelError.code(let message):
      lines = ["process: \(message)"]
      endsRun = true
    case _:
      endsRun = false
      switch Failure(error) {
      case .usage(let message), .failed(let message): lines = ["\(item.input): \(message)"]
      case .faults(let faults), .absent(let faults): lines = faults
      case .unverified(let message): lines = [message]
      case .brokenPipe: lines = ["\(item.output): \(AudioFileError.Problem.brokenPipe.sentence)"]
      }
    }
  }

  /// Where a whole folder has gone, that is what there is to say, for all of its files.
  private static func missing(_ path: String) -> AudioFileError {
    var (gone, next) = (path, PathText.folder(of: path))
    while next != gone, next != ".", (try? PathStatus(path: next)) == nil {
      (gone, next) = (next, PathText.folder(of: next))
    }
    let problem = gone == path ? AudioFileError.Problem.missing : .noFolder
    return AudioFileError(gone, problem)
  }
}
