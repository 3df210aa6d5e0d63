// SPDX-License-Identifier: Apache-2.0

/// The capabilities of a virtual card, and its faults. `Card/Card.h` says what each setting means.
package struct CardSettings: Sendable {
  /// Values that a parameter may take.
  package enum Choice: Sendable, ExpressibleByArrayLiteral, ExpressibleByIntegerLiteral {
    case list([Int])
    case range(ClosedRange<Int>)

    package init(arrayLiteral values: Int...) { self = .list(values) }
    package init(integerLiteral value: Int) { self = .list([value]) }

    var text: String {
      switch self {
      case .list(let values): values.map(String.init).joined(separator: " ")
      case .range(let range): "\(range.lowerBound)..\(range.upperBound)"
      }
    }
  }

  package enum Access: String, CaseIterable, Sendable {
    case interleaved = "rw-interleaved"
    case planar = "rw-planar"
    case mappedInterleaved = "mmap-interleaved"
    case mappedPlanar = "mmap-planar"
  }

  /// The pace of the card's time.
  package enum Pace: String, Sendable {
    /// The computer's.
    case real
    /// As fast as a program waits: no time passes otherwise.
    case free
    /// The same on a clock that the program has, too: a `ScriptedClock`.
    case slept
  }

  /// One direction.
  package struct Stream: Sendable {
    package var rates: Choice = .range(8000...192_000)
    package var formats: [CardFormat] = [.integer16, .integer24, .packed24, .integer32, .float]
    package var channels: Choice = .range(1...8)
    package var access = Access.allCases
    package var periodBytes: Choice = .range(64...(1 << 18))
    package var bufferBytes: Choice = .range(128...(1 << 20))
    package var periods: Choice = .range(2...64)
    /// Parts per million by which its clock is fast.
    package var drift = 0
    /// How many attempts to open it find it busy.
    package var busy = 0

    fileprivate func lines(_ name: String) -> [String] {
      [
        "rates \(rates.text)", "formats \(formats.map(\.rawValue).joined(separator: " "))",
        "channels \(channels.text)", "access \(access.map(\.rawValue).joined(separator: " "))",
        "period-bytes \(periodBytes.text)", "buffer-bytes \(bufferBytes.text)", "periods \(periods.text)",
        "drift \(drift)", "busy \(busy)",
      ].map { "\(name) \($0)" }
    }
  }

  package enum Source: Sendable {
    case ramp
    case silence
    /// Samples in the card's first format, `samples[channel][frame]`, and silence after their end.
    case samples([[Double]])
  }

  package var capture = Stream()
  package var playback = Stream()
  package var pace = Pace.free
  package var source = Source.ramp
  package var script: [ScriptedFault] = []

  package init() {}

  /// Both directions alike, with faults.
  package init(_ script: ScriptedFault..., change: (inout Stream) -> Void = { _ in }) {
    self.script = script
    change(&capture)
    change(&playback)
  }

  func text(source path: String) -> String {
    let source =
      switch source {
      case .ramp: "ramp"
      case .silence: "silence"
      case .samples: "file \(path)"
      }
    let lines =
      capture.lines("capture") + playback.lines("playback")
      + ["pace \(pace.rawValue)", "source \(source)"] + script.map(\.line)
    return lines.map { $0 + "\n" }.joined()
  }

  /// The bytes of the source's file.
  var sourceBytes: [UInt8] {
    guard case .samples(let channels) = source, let first = channels.first else { return [] }
    var bytes: [UInt8] = []
    for frame in first.indices {
      for channel in channels { capture.formats[0].append(channel[frame], to: &bytes) }
    }
    return bytes
  }
}
