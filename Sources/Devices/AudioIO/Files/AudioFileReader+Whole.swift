// SPDX-License-Identifier: Apache-2.0

extension AudioFileReader {
  /// How many frames a file holds, where it holds all that it announces; nil where it does not, or is no audio file.
  ///
  /// It is not read from end to end: the sizes in its header, its last page and its last frame say it.
  package static func wholeFrames(path: String) -> Int? {
    guard let reader = try? AudioFileReader(path: path), reader.notices.isEmpty,
      let frames = reader.description.frames, reader.canReadLast(of: frames),
      !ContainerSize.isCut(path: path)
    else { return nil }
    return frames
  }
}
