// SPDX-License-Identifier: Apache-2.0

internal import Glibc

/// Files of bytes that come to their places together, or not at all.
///
///     model.o, model.h ─▶ .model.o.legato-XXXXXX, .model.h.legato-XXXXXX ─▶ renamed, once both are whole
///
/// Where the second cannot be renamed, the first gives its place back to what stood there.
package struct FilesTogether {
  package struct File {
    package var path: String
    package var bytes: [UInt8]

    package init(path: String, bytes: [UInt8]) {
      self.path = path
      self.bytes = bytes
    }
  }

  private let outputs: [Output]

  private struct Output {
    let file: OutputFile
    let target: String
    let replaces: Bool
  }

  /// Refuses paths at which no file can be put, and two that mean one place, before there is anything to put there.
  package static func check(_ paths: [String], replaceExisting: Bool) throws(AudioFileError) {
    try checkApart(paths)
    for path in paths { _ = try OutputPlace(path: path, replaceExisting: replaceExisting, input: nil) }
  }

  /// Refuses two paths that mean one place: the second file would replace the first.
  package static func checkApart(_ paths: [String]) throws(AudioFileError) {
    var places: Set<PathPlace> = []
    for path in paths where !places.insert(PathPlace(path)).inserted {
      throw AudioFileError(path, .cannotHold("is the place of two results; name another file for one"))
    }
  }

  /// Writes all bytes, beside the places, which have to be apart.
  ///
  /// - Parameters:
  ///   - replaceExisting: whether files may be replaced.
  ///   - pending: where the temporary files are noted while they are not whole.
  package init(
    _ files: [File], replaceExisting: Bool, pending: PendingFiles? = nil
  ) throws(AudioFileError) {
    try Self.checkApart(files.map(\.path))
    var places: [OutputPlace] = []
    for file in files {
      places.append(try OutputPlace(path: file.path, replaceExisting: replaceExisting, input: nil))
    }
    var outputs: [Output] = []
    for (file, place) in zip(files, places) {
      guard case .file(let target, let replaced) = place else {
        throw AudioFileError(file.path, .cannotHold("is a device or a pipe; name a file"))
      }
      let output = try OutputFile(path: file.path, place: place, pending: pending)
      _ = unsafe file.bytes.withUnsafeBytes { unsafe output.write($0) }
      outputs.append(Output(file: output, target: target, replaces: replaced != nil))
    }
    self.outputs = outputs
  }

  /// Puts all files into their places.
  package func commit() throws(AudioFileError) {
    var committed: [(output: Output, former: String?)] = []
    defer {
      for former in committed.compactMap(\.former) { unsafe former.withPath { _ = unsafe unlink($0) } }
    }
    for output in outputs {
      let former = output.replaces ? Self.secondName(of: output.target) : nil
      do throws(AudioFileError) {
        try output.file.commit()
        committed.append((output, former))
      } catch {
        if let former { unsafe former.withPath { _ = unsafe unlink($0) } }
        for (output, former) in committed.reversed() { Self.takeBack(output, former) }
        throw error
      }
    }
  }

  private static func takeBack(_ output: Output, _ former: String?) {
    if let former {
      unsafe former.withPath { former in unsafe output.target.withPath { _ = unsafe rename(former, $0) } }
    } else if !output.replaces {
      unsafe output.target.withPath { _ = unsafe unlink($0) }
    }
  }

  /// Another name for a file, by which it stays when its own is taken; nil where the file system has no links.
  private static func secondName(of path: String) -> String? {
    let beside = OutputFile.hiddenName(of: PathText.name(of: path), "former-\(getpid())")
    let name =
      path.utf8.contains(UInt8(ascii: "/")) ? PathText.path(PathText.folder(of: path), beside) : beside
    return unsafe path.withPath { path in unsafe name.withPath { unsafe link(path, $0) } } == 0 ? name : nil
  }
}
