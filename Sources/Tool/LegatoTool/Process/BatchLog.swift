// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import FileRendering
internal import GraphIR

/// The sums over the files of a batch, for the words at its end. What is the same for many files is said once.
struct BatchLog: Sendable {
  /// Counts of messages, of one line or several, in the order in which each first came.
  struct Tally: Sendable {
    private var counts: [[String]: Int] = [:]
    private var order: [[String]] = []

    mutating func add(_ lines: [String]) {
      if counts.updateValue(counts[lines, default: 0] + 1, forKey: lines) == nil { order.append(lines) }
    }

    /// "…" or "… (3 files)".
    var lines: [String] {
      order.flatMap { lines in
        let count = counts[lines, default: 1]
        return count == 1 ? lines : lines.dropLast() + ["\(lines.last ?? "") (\(count) files)"]
      }
    }
  }

  /// Of all sound that was written.
  private(set) var seconds = 0.0
  private(set) var notices = Tally()
  private var clipped = 0
  private var clippedFiles = 0
  /// Samples that asked for delays outside of what is kept, by the delay.
  private var outside: [String: Int] = [:]
  private var outsideFiles = 0
  private var nonFinite = 0
  private var nonFiniteFiles = 0
  private var nonFiniteInput = 0
  private var nonFiniteInputFiles = 0
  /// The first of these files, by its name: whichever was done first.
  private var firstNonFinite: (input: String, place: String)?

  mutating func note(_ result: RenderedFile, of input: String) {
    seconds += result.seconds
    clipped += result.clipped
    clippedFiles += result.clipped > 0 ? 1 : 0
    for delay in result.outsideDelays {
      outside[delay.heading, default: 0] += delay.samples
    }
    outsideFiles += result.outsideDelays.isEmpty ? 0 : 1
    let made = result.nonFinite - result.nonFiniteInput
    nonFinite += made
    nonFiniteFiles += made > 0 ? 1 : 0
    nonFiniteInput += result.nonFiniteInput
    guard let first = result.firstNonFiniteInput else { return }
    nonFiniteInputFiles += 1
    if input < firstNonFinite?.input ?? input + "\0" {
      firstNonFinite = (
        input, "\(input) at \(decimals(first.seconds)) s (frame \(first.frame)), channel \(first.channel)"
      )
    }
  }

  mutating func notice(_ line: String) { notices.add([line]) }

  /// Totals of what happened to the sound itself, as lines that begin with the folder.
  func sums(_ folder: String) -> [String] {
    var lines: [String] = []
    if clipped > 0 {
      lines.append(
        "\(folder): \(counted(clipped, "sample")) beyond full scale clipped, in \(counted(clippedFiles, "file"))"
      )
    }
    // Whichever file was done first: the worst one, and of those the first by its name.
    if let worst = outside.max(by: { ($0.value, $1.key) < ($1.value, $0.key) })?.key {
      let others = outside.count > 1 ? " and \(counted(outside.count - 1, "more delay"))" : ""
      lines.append(
        "\(folder): \(worst)\(others): \(OutsideDelay.sentence(outside.values.reduce(0, +))) of what is kept, "
          + "and got the nearest, in \(counted(outsideFiles, "file"))")
    }
    if nonFiniteInput > 0 {
      lines.append(
        "\(folder): \(counted(nonFiniteInput, "sample")) of inputs infinite or not a number, made silent, "
          + "in \(counted(nonFiniteInputFiles, "file"))\(firstNonFinite.map { "; the first in \($0.place)" } ?? "")"
      )
    }
    if nonFinite > 0 {
      lines.append(
        "\(folder): \(counted(nonFinite, "sample")) infinite or not a number, made silent, "
          + "in \(counted(nonFiniteFiles, "file"))")
    }
    return lines
  }
}
