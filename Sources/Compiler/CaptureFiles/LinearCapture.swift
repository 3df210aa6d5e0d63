// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A linear network: an impulse response, the latest frame first, and perhaps an offset.
///
/// The package neural-amp-modeler up to 0.13 writes the earliest frame first; what plays captures, NeuralAmpModelerCore,
/// reads the latest first, and so does this where a player reads the file, too.
struct LinearCapture: CaptureArchitecture {
  private let taps: Int
  private let channels: Int
  private let hasBias: Bool
  private let earliestFirst: Bool
  private let place: Place

  /// - Parameter earliestFirst: whether the weights begin with the tap of the earliest frame.
  init(_ config: CaptureFields, earliestFirst: Bool = false) throws(CaptureError) {
    self.earliestFirst = earliestFirst
    try config.check(["receptive_field", "bias", "in_channels", "out_channels", "implementation"])
    taps = try config.integer("receptive_field", in: 1...Limits.extent)
    hasBias = try config.boolean("bias", standard: false)
    channels = try config.integer("in_channels", in: 1...Limits.rows, standard: 1)
    let outputs = try config.integer("out_channels", in: 1...Limits.rows, standard: channels)
    guard outputs == channels else {
      throw config.error("out_channels", "is \(outputs), and in_channels \(channels); they must be equal")
    }
    place = config.place
  }

  var inputs: Int { channels }
  var outputs: Int { channels }
  func memory(at rate: Int) -> Int { taps - 1 }
  /// Of silence it makes its offset at once.
  func settling(at rate: Int) -> Int { 0 }
  var keepsSilence: Bool { !hasBias }

  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String {
    let taken = try cursor.take([taps], "the impulse response")
    let response = text.keep(
      names.tensor("impulse"), [taps], earliestFirst ? taken.reversed() : taken, at: place)
    var expression = "fir(\(input.signal), \(response))"
    if hasBias { expression += " + (\(written(try cursor.take([1], "the bias")[0])))" }
    return try text.define(names.output, expression, at: place)
  }
}
