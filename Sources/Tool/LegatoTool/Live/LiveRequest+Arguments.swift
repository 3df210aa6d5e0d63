// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Glibc
internal import GraphIR
internal import Legato
internal import LiveHost

extension LiveRequest {
  private static let accesses: [(name: String, value: (isMapped: Bool, isPlanar: Bool?))] = [
    ("interleaved", (false, false)), ("planar", (false, true)), ("mapped", (true, nil)),
    ("mapped-interleaved", (true, false)), ("mapped-planar", (true, true)),
  ]

  /// The request of `legato live`, beside the model and the files.
  init(_ arguments: Arguments) throws(Failure) {
    let device = try Self.name(.device, of: arguments)
    let (capture, playback) = (
      try Self.name(.capture, of: arguments), try Self.name(.playback, of: arguments)
    )
    if device != nil, capture != nil, playback != nil {
      throw .usage("--device is for what --capture and --playback leave open; leave it out")
    }
    self.init(device: device ?? "default", capture: capture, playback: playback)
    rate = try arguments.integer(.rate, in: 1...768_000)
    period = try arguments.integer(.period, in: 1...65_536) ?? period
    periods = try arguments.integer(.periods, in: 2...1024) ?? periods
    format = try arguments.choice(.format, DeviceFormat.allCases.map { ($0.name, $0) })
    if let access = try arguments.choice(.access, Self.accesses) { (isMapped, isPlanar) = access }
    inputs = try arguments.channels(.inputs)
    outputs = try arguments.channels(.outputs)
    dither = try arguments.choice(.dither, [("triangular", dither), ("none", .none)]) ?? dither
    seconds = try arguments.seconds()
    waitsForDevices = arguments.has(.wait)
    reloads = !arguments.has(.noReload)
    controllers = try Controllers(arguments)
    pending = Interruption.pending
  }

  private static func name(_ option: Option, of arguments: Arguments) throws(Failure) -> String? {
    guard let name = arguments.value(of: option) else { return nil }
    guard !name.isEmpty else { throw .usage("--\(option.name) is empty; legato devices lists devices") }
    return name
  }
}

extension LiveRequest.Controllers {
  /// The request for MIDI; nil where there is none.
  init?(_ arguments: Arguments) throws(Failure) {
    if let option = [Option.midiFrom, .map, .pickup].first(where: arguments.has), !arguments.has(.midi) {
      throw .usage("--\(option.name) is of use with --midi only")
    }
    guard arguments.has(.midi) else { return nil }
    self.init()
    sources = arguments.values(of: .midiFrom)
    map = arguments.values(of: .map)
    waitsForPickup = arguments.has(.pickup)
    if sources.contains("") { throw .usage("--midi-from takes a port, such as 20:0 or nanoKONTROL:0") }
  }
}

extension LiveRequest.InputFile {
  /// The file that `--input` names; nil where a device captures.
  init?(_ arguments: Arguments, _ model: Model) throws(Failure) {
    guard let name = arguments.value(of: .input) else {
      guard !arguments.has(.loop) else { throw .usage("--loop goes with --input FILE") }
      return nil
    }
    guard !name.isEmpty else { throw .usage("--input is empty; name a file") }
    guard !arguments.has(.capture) else {
      throw .usage("--input takes the place of --capture; leave one of them out")
    }
    guard !model.inputs.isEmpty else { throw .usage("\(quoted(model.name)) has no input; leave --input out") }
    if name == "-", isatty(STDIN_FILENO) == 1 {
      throw .usage("the standard input is a terminal; name a file, or read from a pipe")
    }
    self.init(path: name == "-" ? AudioFileReader.standardInput : name, isLooped: arguments.has(.loop))
  }
}

extension LiveRequest.RecordingFile {
  /// The file that `--record` names; nil where nothing is recorded.
  ///
  /// - Parameter sources: files that the sound is made of.
  init?(_ arguments: Arguments, against sources: [String]) throws {
    guard let path = arguments.value(of: .record) else {
      guard !arguments.has(.bits) else { throw Failure.usage("--bits goes with --record FILE") }
      return nil
    }
    guard AudioFileType(path: path) != nil else {
      throw Failure.usage(
        "--record takes a file whose name ends in \(AudioFileType.extensionList), not '\(path)'")
    }
    self.init(path: path, try AudioFileWriter.Options(arguments))
    try Destination.check(path, against: sources)
    try TextFile.check(path, replaceExisting: arguments.has(.force))
  }
}
