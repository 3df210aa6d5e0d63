// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Legato
internal import LiveEngine

/// The devices of a run, with the rate and routing that programs keep from when they were first open.
final class LiveDevices {
  private let request: LiveRequest
  private let model: Model
  /// The file that is read in place of a device; nil where a device is, or nothing.
  private let file: AudioFileDescription?
  let rate: Int
  /// Nil before the devices were open once.
  private(set) var routing: LiveRouting?
  /// Nil where nothing is captured as well.
  private(set) var captureSetup: DeviceSetup?
  private(set) var playbackSetup: DeviceSetup?
  private(set) var playedRows: [Int?] = []
  /// The playing device's channels that play, in the order of what they play.
  private(set) var played: [Int] = []

  /// - Parameter file: is read in place of a device.
  init(_ request: LiveRequest, _ model: Model, reading file: AudioFileDescription?) throws {
    self.request = request
    self.model = model
    self.file = file
    // A file that may have any rate is played as it is.
    rate = try model.rate(asked: request.rate ?? (model.sampleRate == nil ? file?.sampleRate : nil))
    if let file {
      let owner = "\(file.path) has"
      try RequestError.Name.inputs.check(request.inputs ?? [], count: file.channels, owner: owner)
    }
  }

  var captureName: String { request.capture }
  var playbackName: String { request.playback }
  private var hasCapture: Bool { !model.inputs.isEmpty && file == nil }

  /// Channels that the stream has room for.
  var inputChannels: Int { captureSetup?.channels ?? file?.channels ?? 0 }
  var outputChannels: Int { playbackSetup?.channels ?? 0 }

  /// The name of all of them in messages.
  var place: String {
    !hasCapture || captureName == playbackName ? playbackName : "\(captureName), \(playbackName)"
  }

  /// What messages call the file or the device that is read.
  private var source: String { file?.path ?? "\(captureName) (capture)" }

  /// The latency of playback in frames, without the model's; nil before the devices were open.
  var latency: Int? { playbackSetup.map { $0.buffer - (captureSetup ?? $0).period } }

  /// The binding of an edited model to these devices, which were opened.
  func binding(block: Int) -> LiveBinding {
    LiveBinding(
      request: request, rate: rate, captured: captureSetup?.channels ?? file?.channels,
      readsFile: file != nil, played: playedRows.count, source: source, playbackName: playbackName,
      block: block)
  }

  /// Opens the devices, and compiles the model for them at the first time.
  ///
  /// - Parameter say: takes what there is to say of them, a line each.
  func open(_ say: (String) -> Void) throws -> DeviceStream {
    guard hasCapture else {
      let playback = try openPlayback(try route(usual: inputChannels, source), capture: nil)
      tell(playback, say)
      let setup = playback.setup
      return try DeviceStream(playback: playback.handle, setup, inputs: inputChannels, dither: request.dither)
    }
    let capture = try OpenDevice(captureName, .capture) { most in
      request.request(rate: rate, channels: self.captureSetup?.channels ?? wantedChannels(most))
    }
    let most = capture.setup.channels
    let routing = try route(usual: usualChannels(most) ?? most, source)
    let playback = try openPlayback(routing, capture: capture.setup)
    tell(capture, say)
    tell(playback, say)
    let (source, sink) = (capture.setup, playback.setup)
    return try DeviceStream(
      capture: capture.handle, source, playback: playback.handle, sink, dither: request.dither)
  }

  private func tell(_ device: borrowing OpenDevice, _ say: (String) -> Void) {
    for line in device.setup.notices { say(line) }
    say(device.description)
  }

  private func wantedChannels(_ most: Int) -> Int {
    if let chosen = request.inputs { return (chosen.max() ?? 0) + 1 }
    return usualChannels(most) ?? most
  }

  private func usualChannels(_ most: Int) -> Int? {
    LiveRouting.usualChannels(of: model, rate: rate, most: most)
  }

  private func route(usual: Int, _ place: String) throws -> LiveRouting {
    try routing
      ?? LiveRouting(
        model, request, usual: usual, rate: rate, place: place, values: request.settings.values)
  }

  private func openPlayback(_ routing: LiveRouting, capture: DeviceSetup?) throws -> OpenDevice {
    var played: [Int] = []
    let playback = try OpenDevice(playbackName, .playback) { most in
      played = routing.played(request, most: most)
      return request.request(rate: rate, channels: self.playbackSetup?.channels ?? (played.max() ?? 0) + 1)
    }
    // A device that is back has to be as it was: the program reads and plays on its channels.
    let isSame =
      captureSetup?.channels == capture?.channels && playbackSetup?.channels == playback.setup.channels
    guard self.routing == nil || isSame else {
      throw LiveError.misfit("\(place): the device came back with other channels; start again")
    }
    self.routing = routing
    (captureSetup, playbackSetup) = (capture, playback.setup)
    self.played = played
    playedRows = routing.rows(of: playback.setup.channels, played: played)
    return playback
  }
}
