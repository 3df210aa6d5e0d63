// SPDX-License-Identifier: Apache-2.0

/// Where a model's sound comes from: a file from its beginning to its end, and then what follows it.
///
///     reader ─▶ frames of the file │ silence …
package final class SoundSource {
  private let reader: AudioFileReader

  package init(_ reader: AudioFileReader) { self.reader = reader }

  /// Reads up to `frames` frames into the rows, and returns how many; 0 at the end.
  package func read(
    into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int
  ) throws(AudioFileError) -> Int {
    unsafe try reader.read(into: rows, frames: frames)
  }

  /// Reads what follows the end.
  package func readOn(into rows: UnsafeBufferPointer<UnsafeMutablePointer<Float>>, frames: Int) {
    for row in unsafe rows.indices { unsafe rows[row].update(repeating: 0, count: frames) }
  }
}
