// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The fit of a number of channels to a model: its symbolic extents, and the contexts side by side.
///
///     ["channels", "frames"]   any number: the name is bound to it
///     [2, "frames"]            two
///     ["frames"]               one; of several, each has a context of its own
///     ["channels", "frames"], and a model behind it for one channel: the same
public struct ChannelFit: Hashable, Sendable {
  /// The numbers that the model's symbolic extents are bound to.
  public let extents: [String: Int]
  /// Contexts that run side by side, each on as many channels as the model's inputs have rows.
  public let contexts: Int

  /// - Parameters:
  ///   - model: What the channels go through.
  ///   - channels: At least one.
  ///   - sampleRate: Frames per second; the model's own where it states one.
  /// - Throws: `RequestError` where the model takes another number of channels.
  public init(_ model: Model, channels: Int, sampleRate: Int) throws(RequestError) {
    try self.init(model, channels: channels, sampleRate: sampleRate, source: "there is")
  }

  /// - Parameter source: what has the channels, as a message says it: "song.wav has".
  package init(
    _ model: Model, channels: Int, sampleRate: Int, source: RequestError.Message
  ) throws(RequestError) {
    let inputs = model.inputs
    let extent = (1...channels).first { Self.rows(inputs, extent: $0, sampleRate) == Double(channels) }
    let rows = Self.rows(inputs, extent: extent ?? 1, sampleRate)
    if extent == nil, !(model.symbols.isEmpty && rows == 1) {
      throw Self.misfit(model, rows: rows, channels: channels, source)
    }
    let isApart = extent == nil || Self.isForOne(model, extent: extent ?? 1, sampleRate)
    extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, isApart ? 1 : extent ?? 1) })
    contexts = isApart ? channels : 1
  }

  /// The channels that a model reads where nobody chooses them, counted from 0: all that there are, or a single one
  /// twice, where the model is for two.
  package static func usualInputs(of model: Model, channels: Int, sampleRate: Int) -> [Int] {
    func fits(_ channels: Int) -> Bool {
      (try? ChannelFit(model, channels: channels, sampleRate: sampleRate)) != nil
    }
    // Two inputs are two signals, which one is seldom meant to be.
    guard channels == 1, model.inputs.count == 1, !fits(1), fits(2) else { return Array(0..<channels) }
    return [0, 0]
  }

  /// Whether only the first model of a chain takes so many channels, and all of them take one.
  private static func isForOne(_ model: Model, extent: Int, _ sampleRate: Int) -> Bool {
    guard extent > 1, model.stages.count > 1, rows(model.inputs, extent: 1, sampleRate) == 1 else {
      return false
    }
    func fits(_ extent: Int) -> Bool {
      let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, extent) })
      return (try? model.graph(extents: extents, sampleRate: Double(sampleRate))) != nil
    }
    return !fits(extent) && fits(1)
  }

  /// Rows of all inputs; as a number that does not overflow.
  private static func rows(_ inputs: [Model.Input], extent: Int, _ sampleRate: Int) -> Double {
    inputs.reduce(0) { sum, input in
      sum
        + input.shape.reduce(1) { product, axis in
          switch axis {
          case .number(let number): product * Double(number)
          case .symbol("frames"): product
          case .symbol("sampleRate"): product * Double(sampleRate)
          case .symbol: product * Double(extent)
          }
        }
    }
  }

  private static func misfit(_ model: Model, rows: Double, channels: Int, _ source: RequestError.Message)
    -> RequestError
  {
    let channel = rows == 1 ? "channel" : "channels"
    let needs = model.symbols.isEmpty ? "takes" : "takes at least"
    let misfit: RequestError.Message =
      "\(quoted(model.name)) \(needs) \(written(rows)) \(channel) (\(model.placeOfInputs)), \(source) \(channels)"
    if rows <= 32, model.symbols.isEmpty || rows > Double(channels) {
      let example = (0..<Int(rows)).map { String($0 % channels + 1) }.joined(separator: ",")
      return RequestError("\(misfit); choose them with \(.inputs), such as \(.inputs) \(example)")
    }
    return RequestError("\(misfit); choose others with \(.inputs)")
  }
}
