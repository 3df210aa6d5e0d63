// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc
internal import GraphIR
internal import Legato

/// The file that `--input` names, on its way into the sound.
final class LiveFeed {
  let description: AudioFileDescription
  private let isLooped: Bool
  /// Only `begin` uses it, and hands it over.
  private nonisolated(unsafe) let file: AudioFileReader
  private(set) var feed: FileFeed?

  /// Nil where a device is heard.
  init?(_ arguments: Arguments, _ model: Model) throws {
    isLooped = arguments.has(.loop)
    guard let name = arguments.value(of: .input) else {
      guard !isLooped else { throw Failure.usage("--loop goes with --input FILE") }
      return nil
    }
    guard !name.isEmpty else { throw Failure.usage("--input is empty; name a file") }
    guard !arguments.has(.capture) else {
      throw Failure.usage("--input takes the place of --capture; leave one of them out")
    }
    guard !model.inputs.isEmpty else {
      throw Failure.usage("\(quoted(model.name)) has no input; leave --input out")
    }
    if name == "-", isatty(STDIN_FILENO) == 1 {
      throw Failure.usage("the standard input is a terminal; name a file, or read from a pipe")
    }
    unsafe file = try AudioFileReader(path: name == "-" ? AudioFileReader.standardInput : name)
    description = unsafe file.description
  }

  /// Begins to read ahead, at the sound's rate.
  func begin(rate: Int, period: Int, _ console: Console) throws {
    let feed = unsafe try FileFeed(file, rate: rate, isLooped: isLooped, period: period)
    for notice in feed.notices { console.notice(notice) }
    self.feed = feed
  }

  /// Ends the reading and says what was missing; throws what was wrong with the file.
  func finish(_ console: Console) throws {
    guard let feed else { return }
    feed.end()
    if feed.missing > 0 {
      console.notice("\(description.path): \(counted(feed.missing, "frame")) came too late, and were silent")
    }
    if feed.nonFiniteSamples > 0 {
      console.notice(
        "\(description.path): \(counted(feed.nonFiniteSamples, "sample")) infinite or not a number, made silent"
      )
    }
    if let failure = feed.failure { throw failure }
  }
}
