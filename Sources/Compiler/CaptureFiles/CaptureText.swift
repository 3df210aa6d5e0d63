// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The lines and tensors of a capture, as they are written.
struct CaptureText {
  private(set) var lines: [Capture.Line] = []
  private(set) var tensors: [Capture.Tensor] = []
  /// Characters of the longest name of a line or of weights.
  private(set) var longestName = 0
  private var isFull: Bool { lines.count >= Capture.maximumLines || tensors.count >= Capture.maximumLines }

  /// Writes a line.
  ///
  /// - Returns: its name.
  @discardableResult
  mutating func define(_ name: String, _ expression: String, at place: Place) throws(CaptureError) -> String {
    guard !isFull else {
      throw CaptureError(
        place: place, message: "the network has more than \(Capture.maximumLines) parts, which are the most")
    }
    longestName = max(longestName, name.utf8.count)
    lines.append(.init(name: name, expression: expression, place: place))
    return name
  }

  /// Keeps an array of weights.
  ///
  /// - Returns: its name as expressions say it.
  mutating func keep(_ name: String, _ shape: [Int], _ numbers: [Float], at place: Place) -> String {
    longestName = max(longestName, name.utf8.count)
    tensors.append(.init(name: name, place: place, shape: shape, numbers: Numbers(numbers)))
    return "'\(name)'"
  }
}
