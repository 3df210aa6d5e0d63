// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato
internal import LiveEngine

/// The binding of an edited model to devices that are open already: their channels and their rate stay.
struct LiveBinding: Sendable {
  let request: LiveRequest
  let rate: Int
  /// Channels that are captured, or that the file has which is read instead; nil where nothing is read.
  let captured: Int?
  let readsFile: Bool
  /// Channels that are played.
  let played: Int
  /// What messages call the device or the file that is read.
  let source: String
  let playbackName: String
  /// The most frames at a time.
  let block: Int

  /// Compiles a model, and makes room for it.
  ///
  /// - Parameter values: where its parameters are to stand, by name.
  func program(_ model: Model, values: [String: Float]) throws -> (routing: LiveRouting, program: LiveProgram)
  {
    guard model.executesStream else {
      throw LiveError.executesSteps(model)
    }
    if let stated = model.sampleRate, Int(stated) != rate {
      throw LiveError.misfit(
        "\(quoted(model.name)) is for \(shortest(Float(stated))) Hz (\(model.placeOfSampleRate ?? model.name)), and "
          + "the device runs at \(rate); start again"
      )
    }
    guard model.inputs.isEmpty || captured != nil else {
      throw LiveError.misfit("\(quoted(model.name)) has an input, and nothing is captured; start again")
    }
    let most = captured ?? 0
    let usual = readsFile ? most : LiveRouting.usualChannels(of: model, rate: rate, most: most) ?? most
    let routing = try LiveRouting(
      model, request, usual: usual, rate: rate, place: source, values: values)
    let channels = routing.played(request, most: played)
    guard channels.allSatisfy({ $0 < played }) else {
      throw LiveError.misfit(
        "\(quoted(model.name)) makes \(counted(routing.rows, "channel")), and \(playbackName) (playback) was opened "
          + "with \(played); start again")
    }
    let program = try LiveProgram(
      routing.program, contexts: routing.contexts, inputs: routing.inputs,
      outputs: routing.rows(of: played, played: channels), block: block,
      bypass: routing.bypass)
    return (routing, program)
  }
}
