// SPDX-License-Identifier: Apache-2.0

/// A fault of a virtual card or one of its streams, and its time. `Card/Card.h` says what each fault is.
package struct ScriptedFault: Sendable {
  package enum Kind: Sendable {
    case xrun
    /// An xrun, and so many attempts to prepare the stream fail.
    case refuse(attempts: Int)
    case freeze
    /// The next wait ends when so many frames can be transferred.
    case early(frames: Int)
    case stall(milliseconds: Int)
    /// Gone for good, or until so many attempts to open it have failed.
    case unplug(absences: Int?)
    /// As many attempts to resume it leave it suspended; nil: all.
    case suspend(failures: Int?)

    var text: String {
      switch self {
      case .xrun: "xrun"
      case .refuse(let attempts): "refuse \(attempts)"
      case .freeze: "freeze"
      case .early(let frames): "early \(frames)"
      case .stall(let milliseconds): "stall \(milliseconds)"
      case .unplug(nil): "unplug"
      case .unplug(let absences?): "unplug \(absences)"
      case .suspend(nil): "suspend forever"
      case .suspend(let failures?): "suspend \(failures)"
      }
    }
  }

  var stream: CardStream?
  var position: Int
  var kind: Kind

  /// Befalls a stream when it is at a position.
  package static func capture(at position: Int, _ kind: Kind) -> ScriptedFault {
    ScriptedFault(stream: .capture, position: position, kind: kind)
  }

  package static func playback(at position: Int, _ kind: Kind) -> ScriptedFault {
    ScriptedFault(stream: .playback, position: position, kind: kind)
  }

  /// Befalls each stream when it is there; what the whole card suffers, as soon as one is.
  package static func both(at position: Int, _ kind: Kind) -> ScriptedFault {
    ScriptedFault(stream: nil, position: position, kind: kind)
  }

  var line: String {
    let prefix = stream.map { $0.rawValue + " " } ?? ""
    return "\(prefix)at \(position) \(kind.text)"
  }
}

package enum CardStream: String, Sendable {
  case capture, playback
}
