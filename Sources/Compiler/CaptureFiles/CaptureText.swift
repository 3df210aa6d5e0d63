// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The lines and tensors of a capture, as they are written.
struct CaptureText {
  private(set) var lines: [Capture.Line] = []
  private(set) var tensors: [Capture.Tensor] = []
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
    lines.append(.init(name: name, expression: expression, place: place))
    return name
  }

  /// Keeps an array of weights.
  ///
  /// - Returns: its name as expressions say it.
  mutating func keep(_ name: String, _ shape: [Int], _ numbers: [Float], at place: Place) -> String {
    tensors.append(.init(name: name, place: place, shape: shape, numbers: Numbers(numbers)))
    return "'\(name)'"
  }
}
