// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato
internal import LiveEngine

/// The devices of a run, and the program that was made for them when they were first open.
final class LiveDevices {
  private let options: LiveOptions
  private let model: Model
  private let compiler: CompilerOptions
  let rate: Int
  /// Nil before the devices were open once.
  private(set) var routing: LiveRouting?
  private(set) var captureSetup: DeviceSetup?
  private(set) var playbackSetup: DeviceSetup?
  private(set) var playedRows: [Int?] = []

  init(_ options: LiveOptions, _ model: Model, _ compiler: CompilerOptions) throws {
    self.options = options
    self.model = model
    self.compiler = compiler
    rate = try model.rate(asked: options.rate)
  }

  /// What messages about both call them.
  var place: String {
    options.capture == options.playback ? options.capture : "\(options.capture), \(options.playback)"
  }

  var captureName: String { options.capture }
  var playbackName: String { options.playback }

  /// Frames by which what is heard is late, but for the model's; nil before the devices were open.
  var latency: Int? {
    guard let captureSetup, let playbackSetup else { return nil }
    return playbackSetup.buffer - captureSetup.period
  }

  /// Opens both devices, and compiles the model for them at the first time.
  ///
  /// - Parameter say: takes what there is to say of them, a line each.
  func open(_ say: (String) -> Void) throws -> DuplexStream {
    let capture = try OpenDevice(options.capture, .capture) { most in
      options.request(rate: rate, channels: self.captureSetup?.channels ?? wantedChannels(most))
    }
    let routing =
      try self.routing
      ?? LiveRouting(
        model, options, compiler, channels: capture.setup.channels, rate: rate,
        place: "\(options.capture) (capture)")
    var played: [Int] = []
    let playback = try OpenDevice(options.playback, .playback) { most in
      played = routing.played(options, most: most)
      return options.request(rate: rate, channels: self.playbackSetup?.channels ?? (played.max() ?? 0) + 1)
    }
    for line in capture.setup.notices + playback.setup.notices { say(line) }
    for line in [capture.description, playback.description] { say(line) }
    try remember(routing, capture.setup, playback.setup, played)
    let (captureSetup, playbackSetup) = (capture.setup, playback.setup)
    return try DuplexStream(
      capture: capture.handle, captureSetup, playback: playback.handle, playbackSetup,
      dither: options.dither)
  }

  private func wantedChannels(_ most: Int) -> Int {
    if let chosen = options.inputs { return (chosen.channels.max() ?? 0) + 1 }
    return LiveRouting.usualChannels(of: model, rate: rate, most: most) ?? most
  }

  /// A device that is back has to be as it was: the program hears and plays on its channels.
  private func remember(
    _ routing: LiveRouting, _ capture: DeviceSetup, _ playback: DeviceSetup, _ played: [Int]
  ) throws(Failure) {
    if self.routing != nil,
      captureSetup?.channels != capture.channels || playbackSetup?.channels != playback.channels
    {
      throw .failed("\(place): the device came back with other channels; start again")
    }
    self.routing = routing
    (captureSetup, playbackSetup) = (capture, playback)
    playedRows = routing.rows(of: playback.channels, played: played)
  }
}
