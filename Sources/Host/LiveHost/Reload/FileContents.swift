// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The contents of some files at a moment, to compare with later ones.
///
///     ──────●───────────────┄┄┄┄┄┄┄┄────────────────────●──▶
///         moment      somebody reads them      what stands in them
///           ╰─ a file that has changed since is not known: it says something else than it ever will
struct FileContents: Equatable {
  /// By the bytes of paths: strings are equal that are written differently, and lead to different files.
  private let versions: [[UInt8]: Version]

  /// The contents of a file, of which nothing is kept.
  private enum Version: Equatable {
    case read(bytes: Int, fingerprint: UInt64)
    /// More than is read at each look: when it changed last says which version it is.
    case large(bytes: Int, nanoseconds: Int)
  }

  /// Reads the files; of what is no ordinary file, such as a pipe, nothing.
  init(of files: [String]) {
    var versions: [[UInt8]: Version] = [:]
    // One may be named twice, and be large.
    for file in files where versions[Array(file.utf8)] == nil {
      versions[Array(file.utf8)] = Self.version(of: file)
    }
    self.versions = versions
  }

  /// The version of an ordinary file; nil where there is none. Its size is looked at before anything is read.
  private static func version(of path: String) -> Version? {
    guard let status = try? FileStatus(path: path), status.isFile else { return nil }
    guard status.size <= Model.mostBytes else {
      return .large(bytes: status.size, nanoseconds: status.placed)
    }
    // It may be another by now, or grow meanwhile, of which the next look tells.
    var (bytes, fingerprint) = (0, [UInt8]().fingerprint)
    do {
      try FileBytes.forEachPiece(of: path, most: Model.mostBytes, waits: false) { piece in
        bytes += piece.count
        fingerprint = piece.fingerprint(after: fingerprint)
      }
    } catch {
      return nil
    }
    return .read(bytes: bytes, fingerprint: fingerprint)
  }

  /// The contents that somebody has read in the files since a moment.
  ///
  /// - Parameter earlier: what is known of some of them from before.
  init(of files: [String], readSince moment: FileMoment, earlier: FileContents = FileContents(versions: [:]))
  {
    let known = earlier.only(files).versions
    let unchanged = files.filter { known[Array($0.utf8)] == nil && moment.isAfterLastChange(of: $0) }
    versions = FileContents(of: unchanged).versions.merging(known) { $1 }
  }

  /// Whether a file is there and something is in it: writers empty a file before they fill it again.
  func has(_ file: String) -> Bool {
    switch versions[Array(file.utf8)] {
    case nil, .read(bytes: 0, fingerprint: _): false
    case .read, .large: true
    }
  }

  /// The same of some of the files.
  func only(_ files: [String]) -> FileContents {
    let paths = Set(files.map { Array($0.utf8) })
    return FileContents(versions: versions.filter { paths.contains($0.key) })
  }

  private init(versions: [[UInt8]: Version]) { self.versions = versions }

  /// Whether a path leads to an ordinary file, which can be read again and again.
  static func isOrdinary(_ path: String) -> Bool {
    (try? FileStatus(path: path))?.isFile == true
  }
}
