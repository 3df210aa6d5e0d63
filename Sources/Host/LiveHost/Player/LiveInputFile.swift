// SPDX-License-Identifier: Apache-2.0

internal import AudioIO

/// The file that is played in place of a device's sound, on its way to the audio thread.
final class LiveInputFile {
  let description: AudioFileDescription
  private let isLooped: Bool
  /// Only `begin` uses it, and hands it over.
  private nonisolated(unsafe) let file: AudioFileReader
  private(set) var feed: FileFeed?

  /// Opens the file.
  init(_ request: LiveRequest.InputFile) throws(AudioFileError) {
    isLooped = request.isLooped
    unsafe file = try AudioFileReader(path: request.path)
    description = unsafe file.description
  }

  /// Begins to read ahead, at the sound's rate; returns what is good to know.
  func begin(rate: Int, period: Int) throws(AudioFileError) -> [String] {
    let feed = unsafe try FileFeed(file, rate: rate, isLooped: isLooped, period: period)
    self.feed = feed
    return feed.notices
  }
}
