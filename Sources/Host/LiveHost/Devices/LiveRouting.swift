// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// The routing between channels of the devices and rows of the contexts.
///
///     reads     the inputs that are asked for, or the first two, or as many as the model needs; a single one twice
///     contexts  one; or one for each channel, of a model for one channel
///     plays     on the outputs that are asked for, or the first ones; a single row on both of two
struct LiveRouting {
  /// The model, with a bypass where that can be.
  let model: Model
  /// The parameter of the bypass; nil where there is none, and one of that name is the model's own.
  let bypass: String?
  let compilation: Compilation
  let program: Program
  let contexts: Int
  /// The channel that each row reads, context 0's first.
  let inputs: [Int]
  /// Output rows of all contexts.
  let rows: Int

  /// Chooses what a model reads of a device or a file, and compiles it for that.
  ///
  /// - Parameters:
  ///   - usual: how many channels it reads where nobody says which; 0 where the model reads nothing.
  ///   - place: what a message calls what has these channels.
  ///   - values: of parameters that are known before the first frame, by name.
  init(
    _ model: Model, _ request: LiveRequest, usual: Int, rate: Int, place: String, values: [String: Float]
  ) throws {
    let inputs =
      model.inputs.isEmpty
      ? [] : request.inputs ?? ChannelFit.usualInputs(of: model, channels: usual, sampleRate: rate)
    let fit =
      model.inputs.isEmpty
      ? nil
      : try ChannelFit(
        model, channels: inputs.count, sampleRate: rate,
        source: request.inputs == nil ? "\(place) has" : "\(.inputs) names")
    let (bypassed, hasBypass, compilation) = try model.withBypass { model throws(ModelError) in
      try model.compilation(extents: fit?.extents ?? [:], sampleRate: Double(rate), options: request.compiler)
    }
    self.model = bypassed
    bypass = hasBypass ? LiveControl.bypass : nil
    program = try compilation.program(settledAt: values)
    self.compilation = compilation
    let each = program.layout.outputs.reduce(0) { $0 + $1.rows }
    // A model that makes several channels of one reads one, unless it is told otherwise.
    let wanted = fit?.contexts ?? 1
    let isSingle = request.inputs == nil && wanted > 1 && each != 1
    contexts = isSingle ? 1 : wanted
    self.inputs = isSingle ? [0] : inputs
    rows = try OutputChannels(program.layout, contexts: contexts, chosen: nil).rows.count
    if let chosen = request.outputs, rows > 1, chosen.count != rows {
      throw RequestError(
        "\(.outputs) names \(counted(chosen.count, "channel")), and the model makes \(rows); name as many"
      )
    }
  }

  /// The default number of channels that a model reads: two or, where it takes no two, one, or more; nil where it takes
  /// no number that there is.
  static func usualChannels(of model: Model, rate: Int, most: Int) -> Int? {
    ([2, 1] + Array(3...32)).first { count in
      count <= most && (try? ChannelFit(model, channels: count, sampleRate: rate)) != nil
    }
  }

  /// The channels that play: as many as a device is asked for is their highest, plus 1.
  ///
  /// - Parameter most: the most channels that the device has.
  func played(_ request: LiveRequest, most: Int) -> [Int] {
    if let chosen = request.outputs { return chosen }
    return Array(0..<(rows == 1 ? min(2, most) : rows))
  }

  /// The row that each channel of a device plays; nil for silence.
  func rows(of channels: Int, played: [Int]) -> [Int?] {
    (0..<channels).map { channel in
      played.firstIndex(of: channel).map { rows == 1 ? 0 : $0 }
    }
  }
}

extension Model {
  /// The model with a bypass and what is made of it; without one where its outputs are not like its inputs, or it
  /// has a parameter of that name.
  fileprivate func withBypass<Made>(_ make: (Model) throws(ModelError) -> Made) throws(ModelError) -> (
    model: Model, hasBypass: Bool, made: Made
  ) {
    if let model = try? with([.bypass]), let made = try? make(model) { return (model, true, made) }
    return (self, false, try make(self))
  }
}
