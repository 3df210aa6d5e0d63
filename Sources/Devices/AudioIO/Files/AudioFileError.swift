// SPDX-License-Identifier: Apache-2.0

/// A fault of an audio file, and which file it is.
///
/// Its description is one line that begins with the path and says what to do where that is not plain.
public struct AudioFileError: Error, Hashable, Sendable, CustomStringConvertible {
  /// The file or the folder at fault.
  public let path: String
  public let problem: Problem

  public enum Problem: Hashable, Sendable {
    /// There is no such file.
    case missing
    /// A folder stands where a file is to be.
    case isFolder
    /// A file stands where a folder is to be.
    case notFolder
    /// There is no such folder.
    case noFolder
    case empty
    case noPermission
    case readOnlyFileSystem
    /// The file is of no known type of audio.
    case notAudio
    /// The file is audio of a known type, with an encoding that is not read.
    case unknownEncoding
    /// The file begins like audio but cannot be read on; says what is wrong.
    case damaged(String)
    /// A file stands in the place, and may not be replaced.
    case exists
    /// The path's extension names no type that is written.
    case unknownType
    /// The file's type cannot hold what it should; says what.
    case cannotHold(String)
    /// The sound cannot be brought to the rate that it has to have; says why.
    case cannotResample(String)
    /// The disk is full.
    case noSpace
    /// The user's share of the disk is full.
    case quotaExceeded
    /// Nobody reads the pipe any more.
    case brokenPipe
    /// The run was interrupted while the file was being made.
    case interrupted
    /// Anything else that the system refuses, in its words.
    case system(String)
  }

  package init(_ path: String, _ problem: Problem) {
    self.path = path
    self.problem = problem
  }

  /// The error for a failed system call on `path`.
  init(_ path: String, errno code: Int32) {
    self.init(path, Problem(errno: code))
  }

  public var description: String {
    "\(path): \(problem.sentence)"
  }
}

extension AudioFileError.Problem {
  /// The problem as a sentence, perhaps with its remedy: "the file is empty".
  public var sentence: String {
    switch self {
    case .missing: "no such file"
    case .isFolder: "is a folder, not a file"
    case .notFolder: "is a file, not a folder"
    case .noFolder: "no such folder"
    case .empty: "the file is empty"
    case .noPermission: "permission denied"
    case .readOnlyFileSystem: "the file system is read-only"
    case .notAudio: "not an audio file of a known type"
    case .unknownEncoding: "its encoding is not one that is read; convert it to WAV or FLAC first"
    case .damaged(let what): "damaged: \(what)"
    case .exists: "the file exists"
    case .unknownType: "unknown file type; use \(AudioFileType.extensionList)"
    case .cannotHold(let what), .cannotResample(let what): what
    case .noSpace: "no space left on device"
    case .quotaExceeded: "disk quota exceeded"
    case .brokenPipe: "broken pipe"
    case .interrupted: "interrupted"
    case .system(let what): what
    }
  }
}
