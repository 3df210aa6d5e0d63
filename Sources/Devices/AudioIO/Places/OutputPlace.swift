// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// The place that an output's path leads to, decided before anything is made.
enum OutputPlace {
  /// A file, at the end of all links; with what stands there until then.
  case file(target: String, replaces: FileStatus?)
  /// A device or a pipe, written directly.
  case stream

  /// - Parameters:
  ///   - replaceExisting: whether a file may be replaced that is not the input itself.
  ///   - input: the file that is read, which may be replaced, at its own place: not under another of its names.
  init(path: String, replaceExisting: Bool, input: AudioFileDescription?) throws(AudioFileError) {
    guard !path.isEmpty, !path.utf8.contains(0) else { throw AudioFileError(path, .missing) }
    // Where the shell has opened a file for it, that file is there already, and is written from where it stands.
    guard path != Self.standardOutput else {
      self = .stream
      return
    }
    guard let status = try Self.status(path) else {
      let target = try Self.followLinks(path)
      try Self.checkFolder(of: target)
      self = .file(target: target, replaces: nil)
      return
    }
    guard !status.isFolder else { throw AudioFileError(path, .isFolder) }
    guard status.isFile else {
      self = .stream
      return
    }
    guard replaceExisting || Self.isPlace(path, of: input, status) else {
      throw AudioFileError(path, .exists)
    }
    // Renaming would replace a file that its owner has closed to writing.
    guard unsafe path.withPath({ unsafe faccessat(AT_FDCWD, $0, W_OK, AT_EACCESS) }) == 0 else {
      throw AudioFileError(path, errno: errno)
    }
    self = .file(target: try Self.followLinks(path), replaces: status)
  }

  /// The name of the output that the process was started with.
  static let standardOutput = "/dev/stdout"

  private static func isPlace(
    _ path: String, of input: AudioFileDescription?, _ status: FileStatus
  ) -> Bool {
    guard let input, input.identity == status.identity else { return false }
    // Hard links lead to the same file from other places.
    guard let place = PathText.resolved(path) else { return false }
    return place == PathText.resolved(input.path)
  }

  /// The status of the file at the end of the path; nil where there is none.
  private static func status(_ path: String) throws(AudioFileError) -> FileStatus? {
    do throws(AudioFileError) {
      return try FileStatus(path: path)
    } catch {
      if error.problem == .missing { return nil }
      if error.problem == .notFolder { throw AudioFileError(PathText.folder(of: path), .notFolder) }
      throw error
    }
  }

  /// The end of the links that a path is, one after the other; folders on the way stay as they are.
  static func followLinks(_ path: String) throws(AudioFileError) -> String {
    var target = path
    // As many as the kernel follows.
    for _ in 0..<40 {
      guard let link = PathText.target(ofLink: target) else { return target }
      target = link.utf8.first == UInt8(ascii: "/") ? link : PathText.path(PathText.folder(of: target), link)
    }
    throw AudioFileError(path, errno: ELOOP)
  }

  private static func checkFolder(of path: String) throws(AudioFileError) {
    let folder = PathText.folder(of: path)
    do throws(AudioFileError) {
      guard try FileStatus(path: folder).isFolder else { throw AudioFileError(folder, .notFolder) }
    } catch {
      throw error.problem == .missing ? AudioFileError(folder, .noFolder) : error
    }
    guard !PathText.name(of: path).isEmpty else { throw AudioFileError(path, .isFolder) }
  }
}
