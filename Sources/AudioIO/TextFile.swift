// SPDX-License-Identifier: Apache-2.0

/// A text on its way to a file, which appears in its place when it is whole; a device or a pipe is written directly.
package enum TextFile {
  /// Throws what would be in the way of a text at this place.
  package static func check(_ path: String, replaceExisting: Bool) throws(AudioFileError) {
    _ = try OutputPlace(path: path, replaceExisting: replaceExisting, input: nil)
  }

  /// - Parameters:
  ///   - replaceExisting: whether a file that stands in the place is replaced.
  ///   - pending: where the unfinished file is noted, for an interrupted run.
  package static func write(
    _ text: String, to path: String, replaceExisting: Bool, pending: PendingFiles? = nil
  ) throws(AudioFileError) {
    try write([text], to: path, replaceExisting: replaceExisting, pending: pending)
  }

  /// The same for a long text that comes in parts.
  package static func write(
    _ parts: some Sequence<String>, to path: String, replaceExisting: Bool, pending: PendingFiles? = nil
  ) throws(AudioFileError) {
    let place = try OutputPlace(path: path, replaceExisting: replaceExisting, input: nil)
    let output = try OutputFile(path: path, place: place, pending: pending)
    for part in parts { _ = unsafe Array(part.utf8).withUnsafeBytes { unsafe output.write($0) } }
    try output.commit()
  }
}
