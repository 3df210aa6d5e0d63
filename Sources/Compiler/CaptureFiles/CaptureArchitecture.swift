// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// A network of a capture: its sizes, and the way to lines.
protocol CaptureArchitecture {
  /// The channels that go in, knobs included, and those that come out.
  var inputs: Int { get }
  var outputs: Int { get }
  /// The frames after which it rests where its input does: what it looks back on.
  ///
  /// - Parameter rate: in hertz.
  func memory(at rate: Int) -> Int
  /// The frames after which it rests where its input is silent from the first frame on.
  func settling(at rate: Int) -> Int
  /// Whether it makes silence of silence, from the first frame on.
  var keepsSilence: Bool { get }
  /// Whether it is made of captures that have their own weights.
  var hasParts: Bool { get }

  /// Writes the lines of the network.
  ///
  /// - Returns: the name of the value that comes out.
  func write(
    _ input: CaptureSignal, names: CaptureNames, _ cursor: inout WeightCursor, in text: inout CaptureText
  ) throws(CaptureError) -> String
}

extension CaptureArchitecture {
  func settling(at rate: Int) -> Int { memory(at: rate) }
  var keepsSilence: Bool { false }
  var hasParts: Bool { false }
}

/// The value that goes into a network, and the knobs beside it.
struct CaptureSignal {
  let signal: String
  let channels: Int
  /// A value of numbers without frames, and how many.
  var knobs: (name: String, count: Int)?

  /// The channels of both.
  var width: Int { channels + (knobs?.count ?? 0) }
}

/// The names of a network's parts, where several stand side by side.
struct CaptureNames {
  private let values: String
  private let tensors: String
  /// The name of what comes out.
  let output: String

  init(values: String = "", tensors: String = "", output: String = "dst") {
    (self.values, self.tensors, self.output) = (values, tensors, output)
  }

  func value(_ name: String) -> String { values + name }

  func tensor(_ name: String) -> String { tensors + name }

  /// The names of a network within this one.
  ///
  /// - Parameter output: the name of what comes out of it; nil for the part's own.
  func part(_ name: String, output: String? = nil) -> CaptureNames {
    CaptureNames(values: values + name + "_", tensors: tensors + name + ".", output: output ?? values + name)
  }
}

extension CaptureLayer {
  /// A layer on a signal and the knobs beside it: what the knobs add changes only while they move.
  ///
  ///     W [x, knobs] + b   →   dense(x, left columns of W, b) + dense(knobs, right columns)
  func expression(_ input: CaptureSignal, _ all: Weights, in text: inout CaptureText) -> String {
    guard let knobs = input.knobs else { return expression(input.signal, all, in: &text) }
    precondition(kernel == 1 && groups == 1, "knobs go into layers of one frame")
    func part(_ name: String, _ range: Range<Int>, bias: [Float]?, of value: String) -> String {
      let rows = (0..<all.outputs).map { $0 * all.inputs }
      let weight = rows.flatMap { all.weight[$0 + range.lowerBound..<$0 + range.upperBound] }
      let layer = CaptureLayer(
        name: name, title: title, place: place, inputs: range.count, outputs: all.outputs)
      return layer.expression(
        value, .init(weight: weight, bias: bias, inputs: range.count, outputs: all.outputs), in: &text)
    }
    let signal = part(name, 0..<input.channels, bias: all.bias, of: input.signal)
    return signal + " + " + part(name + ".knobs", input.channels..<all.inputs, bias: nil, of: knobs.name)
  }
}
