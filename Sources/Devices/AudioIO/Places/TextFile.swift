// SPDX-License-Identifier: Apache-2.0

/// A text on its way to a file, which appears in its place when it is whole; a device or a pipe is written directly.
/// Where it is given up before `commit`, there is no file.
package struct TextFile {
  private let output: OutputFile

  /// - Parameters:
  ///   - replaceExisting: whether a file that stands in the place is replaced.
  ///   - pending: where the unfinished file is noted, for an interrupted run.
  ///   - syncs: whether it is on the disk when it is in its place.
  package init(
    _ path: String, replaceExisting: Bool, pending: PendingFiles? = nil, syncs: Bool = false
  ) throws(AudioFileError) {
    let place = try OutputPlace(path: path, replaceExisting: replaceExisting, input: nil)
    output = try OutputFile(path: path, place: place, pending: pending, syncs: syncs)
  }

  /// Writes the next part of the text; `commit` says whether that worked.
  package func write(_ part: String) {
    let bytes = Array(part.utf8)
    _ = unsafe bytes.withUnsafeBytes { unsafe output.write($0) }
  }

  /// Puts the whole text into its place.
  package func commit() throws(AudioFileError) { try output.commit() }

  /// Throws what would be in the way of a text at this place.
  package static func check(_ path: String, replaceExisting: Bool) throws(AudioFileError) {
    _ = try OutputPlace(path: path, replaceExisting: replaceExisting, input: nil)
  }

  /// Writes a text that is whole already.
  package static func write(
    _ text: String, to path: String, replaceExisting: Bool, pending: PendingFiles? = nil, syncs: Bool = false
  ) throws(AudioFileError) {
    let file = try TextFile(path, replaceExisting: replaceExisting, pending: pending, syncs: syncs)
    file.write(text)
    try file.commit()
  }
}
