// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

extension Option {
  static let tail = Option(
    "tail", value: "SECONDS",
    "goes on after the input's end; auto: to the last frame above -96 dB, at most 60 s (default: 0)")
}

/// How much of what sounds on after the input's end is written, such as echoes.
enum Tail: Hashable, Sendable {
  case seconds(Double)
  /// To the last frame with a sample above `threshold`, at most `longest` seconds.
  case audible

  /// -96 dB.
  static let threshold: Float = 1.584_893_2e-5
  static let longest = 60.0
  private static let most = 3600.0

  init(_ arguments: Arguments) throws(Failure) {
    guard let text = arguments.value(of: .tail) else {
      self = .seconds(0)
      return
    }
    if text == "auto" {
      self = .audible
      return
    }
    guard let seconds = Quantity(text)?.number(inUnit: "s"), (0...Self.most).contains(seconds) else {
      throw .usage("--tail takes auto or seconds from 0 to 3600, such as 2 or 500ms, not \(quoted(text))")
    }
    self = .seconds(seconds)
  }

  /// The most frames that it takes.
  func frames(sampleRate: Int) -> Int {
    switch self {
    case .seconds(let seconds): Int((seconds * Double(sampleRate)).rounded())
    case .audible: Int(Self.longest) * sampleRate
    }
  }
}
