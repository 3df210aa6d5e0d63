// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// What `legato live` is asked for, beside the model: devices and how they are opened.
struct LiveOptions {
  let capture: String
  let playback: String
  /// Nil for what the model states.
  let rate: Int?
  let period: Int
  let periods: Int
  /// Nil for the best that the device has.
  let format: DeviceFormat?
  let access: Access
  /// Channels of the capturing device.
  let inputs: [Int]?
  /// Channels of the playing device.
  let outputs: [Int]?
  let dither: Dither
  let seconds: Double?
  let waits: Bool
  let isPlain: Bool

  struct Access {
    var isMapped = false
    /// Nil for either.
    var isPlanar: Bool?
  }

  private static let accesses: [(name: String, value: Access)] = [
    ("interleaved", Access(isPlanar: false)), ("planar", Access(isPlanar: true)),
    ("mapped", Access(isMapped: true)), ("mapped-interleaved", Access(isMapped: true, isPlanar: false)),
    ("mapped-planar", Access(isMapped: true, isPlanar: true)),
  ]

  init(_ arguments: Arguments) throws(Failure) {
    let device = try Self.name(.device, of: arguments)
    let (capture, playback) = (
      try Self.name(.capture, of: arguments), try Self.name(.playback, of: arguments)
    )
    if device != nil, capture != nil, playback != nil {
      throw .usage("--device is for what --capture and --playback leave open; leave it out")
    }
    self.capture = capture ?? device ?? "default"
    self.playback = playback ?? device ?? "default"
    rate = try arguments.integer(.rate, in: 1...768_000)
    period = try arguments.integer(.period, in: 1...65_536) ?? 256
    periods = try arguments.integer(.periods, in: 2...1024) ?? 4
    format = try arguments.choice(.format, DeviceFormat.allCases.map { ($0.name, $0) })
    access = try arguments.choice(.access, Self.accesses) ?? Access()
    inputs = try arguments.channels(.inputs)
    outputs = try arguments.channels(.outputs)
    if let outputs, let twice = Self.repeated(outputs) {
      throw .usage("--outputs names channel \(twice + 1) twice; each channel plays one")
    }
    let kinds = [("triangular", Dither.triangular(seed: 0)), ("none", .none)]
    // The noise of a file, so that live sound has the same bits.
    dither = try arguments.choice(.dither, kinds.map { (name: $0.0, value: $0.1) }) ?? kinds[0].1
    seconds = try Self.seconds(arguments)
    waits = arguments.has(.wait)
    isPlain = arguments.has(.plain)
  }

  private static func name(_ option: Option, of arguments: Arguments) throws(Failure) -> String? {
    guard let name = arguments.value(of: option) else { return nil }
    guard !name.isEmpty else { throw .usage("--\(option.name) is empty; legato devices lists devices") }
    return name
  }

  /// A year and some months: more is a mistake.
  private static let mostSeconds = 4e7

  private static func seconds(_ arguments: Arguments) throws(Failure) -> Double? {
    guard let text = arguments.value(of: .seconds) else { return nil }
    guard let seconds = Quantity(text)?.number(inUnit: "s"), seconds > 0, seconds <= mostSeconds else {
      throw .usage(
        "--seconds takes a time above 0 s and up to \(Int(mostSeconds)) s, such as 2.5 or 300ms, not \(quoted(text))"
      )
    }
    return seconds
  }

  /// A channel that stands in a list twice, where one does.
  private static func repeated(_ channels: [Int]) -> Int? {
    channels.enumerated().first { channels[..<$0.offset].contains($0.element) }?.element
  }

  /// What a direction is asked for.
  func request(rate: Int, channels: Int) -> DeviceRequest {
    var request = DeviceRequest(rate: rate, channels: channels)
    (request.format, request.period, request.periods) = (format, period, periods)
    (request.isMapped, request.isPlanar) = (access.isMapped, access.isPlanar)
    return request
  }
}
