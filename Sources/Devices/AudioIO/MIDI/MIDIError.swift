// SPDX-License-Identifier: Apache-2.0

/// The reason why there is no MIDI. Its description is one line that begins with what is at fault.
public struct MIDIError: Error, Equatable, Sendable, CustomStringConvertible {
  /// `midi`, or the port that was asked for.
  public let place: String
  package let problem: Problem

  package enum Problem: Equatable, Sendable {
    /// The system has no sequencer.
    case noSequencer
    case noPermission
    /// No port is called so; those that there are.
    case unknown(known: [String])
    /// Anything else that the system refuses, in its words.
    case system(String)
  }

  public var description: String { "\(place): \(problem.sentence)" }
}

extension MIDIError.Problem {
  fileprivate var sentence: String {
    switch self {
    case .noSequencer:
      "this system has no sequencer for MIDI (/dev/snd/seq); modprobe snd-seq loads it"
    case .noPermission:
      "permission denied for the sequencer (/dev/snd/seq); sound devices are often for members of the group audio"
    case .unknown(let known) where known.isEmpty: "no port of the sequencer is called so, and none sends"
    case .unknown(let known):
      "no port of the sequencer is called so; there are " + known.joined(separator: ", ")
    case .system(let reason): reason
    }
  }
}
