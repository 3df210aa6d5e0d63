// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import FileRendering
internal import GraphIR
internal import Legato

extension AudioFileWriter.Options {
  /// The options of `--bits`, `--dither`, `--force` and `--sync`.
  init(_ arguments: Arguments) throws(Failure) {
    self.init()
    sampleFormat = try arguments.choice(
      .bits,
      [("8", .int8), ("16", .int16), ("24", .int24), ("32", .int32), ("float", .float), ("double", .double)])
    if let kind = try arguments.choice(.dither, [("triangular", dither), ("none", .none)]) { dither = kind }
    replaceExisting = arguments.has(.force)
    syncs = arguments.has(.sync)
  }
}

extension RenderOptions {
  init(_ arguments: Arguments) throws(Failure) {
    self.init()
    block = try arguments.integer(.block, in: 1...65_536) ?? block
    inputs = try arguments.channels(.inputs)
    outputs = try arguments.channels(.outputs)
    compiler = try CompilerOptions(arguments, keepsCode: true)
    findsNonFinite = try arguments.choice(.check, [("non-finite", true)]) ?? false
    tail = try Tail(arguments) ?? tail
    quality = try arguments.choice(.quality, ResamplingQuality.allCases.map { ($0.rawValue, $0) }) ?? quality
    let writer = try AudioFileWriter.Options(arguments)
    (sampleFormat, dither) = (writer.sampleFormat, writer.dither)
    (replacesExisting, syncs) = (writer.replaceExisting, writer.syncs)
    pending = Interruption.pending
  }
}

extension Tail {
  /// The tail of `--tail`; nil where it is not given.
  init?(_ arguments: Arguments) throws(Failure) {
    guard let text = arguments.value(of: .tail) else { return nil }
    if text == "auto" {
      self = .audible
      return
    }
    guard let seconds = Quantity(text)?.number(inUnit: "s"), (0...3600).contains(seconds) else {
      throw .usage("--tail takes auto or seconds from 0 to 3600, such as 2 or 500ms, not \(quoted(text))")
    }
    self = .seconds(seconds)
  }
}

extension RawFormat {
  /// The rate and channels of `--raw`; nil where it is not given.
  init?(_ arguments: Arguments) throws(Failure) {
    guard let text = arguments.value(of: .raw) else { return nil }
    let numbers = text.split(separator: ":", omittingEmptySubsequences: false).map { Int($0) }
    guard numbers.count == 2, let rate = numbers[0], let channels = numbers[1],
      (1...16_000_000).contains(rate), (1...1024).contains(channels)
    else {
      throw .usage(
        "--raw takes RATE:CHANNELS, with up to 16000000 Hz and 1024 channels, such as 48000:2, not \(quoted(text))"
      )
    }
    self.init(sampleRate: rate, channels: channels)
  }
}

extension FileRenderer {
  /// The model, and what the command line asks for.
  convenience init(_ arguments: Arguments, model path: String) throws {
    let options = try RenderOptions(arguments)
    guard PathText.bytes(of: path).elementsEqual(path.utf8) else {
      throw Failure.usage("the model's name \(path) is not UTF-8; rename the file, or link to it")
    }
    let automation = try arguments.value(of: .automate).map { try AutomationFile(contentsOf: $0) }
    let model = try Model(path: path, arguments, moved: automation?.parameters ?? [])
    try model.checkNetwork()
    try Self.check(model)
    guard !arguments.has(.quality) || model.sampleRate != nil else {
      throw Failure.usage(
        "--quality says how sound is resampled, and \(quoted(model.name)) states no rate: it runs at that of each file; "
          + "leave --quality out")
    }
    try self.init(
      model, settings: model.settings(arguments), automation: automation, options: options)
  }
}
