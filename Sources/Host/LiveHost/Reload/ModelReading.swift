// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import Legato

/// Waits until a model's files have changed, and makes something of them.
///
///     something happened ─▶ quiet for 50 ms ─▶ another text? ─▶ make ─▶ made, or broken and why
///                                              │ none for a second: missing
///                                              ╰ as it was: nothing; after it was broken or missing: restored
///
/// Each outcome is told once. While the model is broken, whatever changes in the folders of its files has it tried
/// again: it may use a file that was not there.
struct ModelReading<Made: Sendable> {
  /// Makes something, and tells the files that it was made of.
  typealias Make = @Sendable () throws -> (made: Made, files: [String])

  private let model: String
  private let watch: FileWatch
  private let stop: Int32
  private let make: Make

  /// The files of what was made last, and what stood in them.
  private var madeFiles: [String]
  private var madeOf: FileContents
  /// Files at which the last try failed.
  private var culprits: [String] = []
  /// The contents of all of these at the last look.
  private var seen: FileContents
  /// The errors of the last try; empty where it did not fail.
  private var complaints: [String] = []
  private var missingSince: ContinuousClock.Instant?
  private var isMissing = false

  /// - Parameters:
  ///   - files: of what was made already, the model's own first, and what stood in them.
  ///   - stop: becomes readable when the work is to end.
  init(_ files: [String], _ contents: FileContents, _ watch: FileWatch, stop: Int32, _ make: @escaping Make) {
    model = files[0]
    (self.watch, self.stop, self.make) = (watch, stop, make)
    (madeFiles, madeOf, seen) = (files, contents, contents)
  }

  /// Waits for the next news; nil at the end.
  mutating func next() -> ModelNews<Made>? {
    // Looked at before waiting: something may have changed before it was watched.
    while true {
      if let news = look() { return news }
      guard wait() else { return nil }
    }
  }

  private var isBroken: Bool { !complaints.isEmpty }

  private mutating func look() -> ModelNews<Made>? {
    let files = madeFiles + culprits
    watch.watch(files, neighbours: isBroken)
    let mayHaveCome = watch.takeNeighbour()
    let contents = FileContents(of: files)
    guard contents.has(model) else { return miss() }
    let wasAway = isMissing || isBroken
    (missingSince, isMissing) = (nil, false)
    if contents.only(madeFiles) == madeOf {
      (complaints, culprits, seen) = ([], [], madeOf)
      return wasAway ? .restored : nil
    }
    guard contents != seen || (isBroken && mayHaveCome) else { return nil }
    // Where it turns out to be broken, what comes while it is made counts already.
    watch.watch(files, neighbours: true)
    return make(of: contents)
  }

  private mutating func make(of contents: FileContents) -> ModelNews<Made>? {
    let before = (contents: seen, complaints)
    seen = contents
    let moment = FileMoment()
    do {
      let (made, files) = try make()
      // A change made meanwhile is found at the next look.
      madeOf = FileContents(of: files, readSince: moment, earlier: contents)
      (madeFiles, culprits, complaints, seen) = (files, [], [], madeOf)
      return .made(made)
    } catch {
      let failure = LiveError(error)
      complaints = failure.lines { $0.rawValue }
      if case .model(.invalid(let problems)) = failure {
        // A file that is missing may come, wherever it is.
        culprits = problems.map(\.file).filter(FileContents.isOrdinary) + problems.compactMap(\.culprit)
        seen = FileContents(of: madeFiles + culprits, readSince: moment, earlier: contents)
      }
      return before == (contents, complaints) ? nil : .broken(failure)
    }
  }

  /// The file is not there, as it is for a moment while some editors write it.
  private mutating func miss() -> ModelNews<Made>? {
    guard !isMissing else { return nil }
    let since = missingSince ?? .now
    missingSince = since
    isMissing = .now - since >= .seconds(1)
    return isMissing ? .missing : nil
  }

  /// Waits until there may be something to see; false at the end.
  private func wait() -> Bool {
    while true {
      switch poll(patience) {
      case .ended: return false
      case .nothing: return true
      case .something: if watch.takeChange() { return settle() }
      }
    }
  }

  /// Milliseconds until a file that is not there is missing, whatever else happens in its folder; -1 for ever.
  private var patience: Int32 {
    guard let missingSince, !isMissing else { return -1 }
    let left = .seconds(1) - (ContinuousClock.now - missingSince)
    return max(0, Int32(left / .milliseconds(1)) + 1)
  }

  /// Waits until nothing has changed for a while, but no longer than a second: several events are one change.
  private func settle() -> Bool {
    let end = ContinuousClock.now + .seconds(1)
    while .now < end {
      switch poll(50) {
      case .ended: return false
      case .nothing: return true
      case .something: _ = watch.takeChange()
      }
    }
    return true
  }

  private enum Awaited { case something, nothing, ended }

  private func poll(_ milliseconds: Int32) -> Awaited {
    var descriptors = [watch.descriptor, stop].map { pollfd(fd: $0, events: Int16(POLLIN), revents: 0) }
    let count = unsafe Glibc.poll(&descriptors, nfds_t(descriptors.count), milliseconds)
    if descriptors[1].revents != 0 { return .ended }
    // A signal that came in between is none of this thread's business.
    return count < 0 ? .something : count == 0 ? .nothing : .something
  }
}
