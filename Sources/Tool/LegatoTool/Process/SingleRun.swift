// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import FileRendering
internal import Glibc
internal import GraphIR
internal import Legato

/// `legato process MODEL INPUT OUTPUT`, or `MODEL OUTPUT --seconds S`: one file, and what there is to say about it.
struct SingleRun {
  private let renderer: FileRenderer
  private let model, output: String
  /// Nil where the model makes its sound of itself, for so many seconds.
  private let input: String?
  private let seconds: Double?
  private let rate: Int?
  private let rawInput, rawOutput: RawFormat?
  private let report: FileReport?

  init(_ arguments: Arguments) throws {
    for option in BatchCommand.options where arguments.has(option) {
      throw Failure.usage("--\(option.name) goes with --output-dir DIR")
    }
    seconds = try arguments.seconds()
    let operands = try Self.operands(arguments)
    let (from, to) = (seconds == nil ? operands[1] : nil, operands[operands.count - 1])
    input = from == "-" ? AudioFileReader.standardInput : from
    if input == AudioFileReader.standardInput, isatty(STDIN_FILENO) == 1 {
      throw Failure.usage("the standard input is a terminal; name a file, or read from a pipe")
    }
    output = to == "-" ? "/dev/stdout" : to
    if output == "/dev/stdout", isatty(STDOUT_FILENO) == 1 {
      throw Failure.usage(
        "the standard output is a terminal, which plays no sound; name a file, or write to a pipe")
    }
    let raw = try RawFormat(arguments)
    (rawInput, rawOutput) = (from == "-" ? raw : nil, to == "-" ? raw : nil)
    guard raw == nil || rawInput != nil || rawOutput != nil else {
      throw Failure.usage("--raw says what - is; INPUT and OUTPUT are files")
    }
    try Self.checkExtension(output)
    model = operands[0]
    report = try FileReport(arguments, model: model)
    renderer = try FileRenderer(arguments, model: model)
    try Self.check(renderer.model, isAlone: seconds != nil)
    let asked = try arguments.integer(.rate, in: 1...16_000_000)
    rate = asked ?? (renderer.model.sampleRate == nil ? rawOutput?.sampleRate : nil)
    try report?.check(inputs: input.map { [$0] } ?? [], outputs: [output], used: renderer.model.usedFiles)
    try report?.file.check()
    renderer.prepare()
  }

  /// The model, the input unless the model sounds by itself, and the output.
  private static func operands(_ arguments: Arguments) throws -> [String] {
    let operands = arguments.operands
    guard !arguments.has(.seconds) else {
      if let option = [Option.tail, .inputs, .quality].first(where: arguments.has) {
        throw Failure.usage("--\(option.name) is about INPUT, and --seconds says that there is none")
      }
      guard operands.count != 3 else {
        throw Failure.usage(
          "--seconds goes with MODEL OUTPUT, of a model without inputs; a file sounds as long as it is")
      }
      return try arguments.operands("MODEL", "OUTPUT")
    }
    guard !arguments.has(.rate) else {
      throw Failure.usage("--rate goes with --seconds S; a file has a rate of its own")
    }
    if operands.count == 2, let model = try? Model(path: operands[0], arguments) {
      try check(model, isAlone: false)
    }
    if operands.count > 3 {
      throw Failure.usage(
        "\(quoted(operands[3])) is one too many; expected MODEL INPUT OUTPUT, or MODEL INPUT… --output-dir DIR"
      )
    }
    return try arguments.operands("MODEL", "INPUT", "OUTPUT")
  }

  /// Refuses a model that needs an input and gets none, and the other way round.
  private static func check(_ model: Model, isAlone: Bool) throws {
    guard model.executesStream, model.inputs.isEmpty != isAlone else { return }
    throw Failure.usage(
      isAlone
        ? "\(quoted(model.name)) has an input, and sounds as long as that; write MODEL INPUT OUTPUT, without --seconds"
        : "\(quoted(model.name)) has no input; write MODEL OUTPUT --seconds S, such as --seconds 3")
  }

  /// Refuses a name that chooses no type; what is written directly needs none.
  private static func checkExtension(_ path: String) throws {
    guard AudioFileType(path: path) == nil, path != "/dev/stdout" else { return }
    if let status = try? FileStatus(path: path), !status.isFile { return }
    throw Failure.usage(
      "OUTPUT takes a file whose name ends in \(AudioFileType.extensionList), not '\(path)'")
  }

  func run(_ console: Console) throws {
    Interruption.begin()
    if let report {
      let run = ReportedRun(report, input: input, output: output, model: model)
      try run.run(console) { [self, isQuiet = console.isQuiet] finishing in
        try render(Console(isQuiet: isQuiet), finishing)
      } say: { result in
        say(result, console)
      }
    } else {
      say(try render(console), console)
    }
  }

  private func render(_ console: Console, _ finishing: () -> Void = {}) throws -> RenderedFile {
    let origin =
      try input.map { FileRun.Origin.file(try AudioFileReader(path: $0, raw: rawInput)) }
      ?? .model(seconds: seconds ?? 0, sampleRate: rate)
    let file = try FileRun(
      renderer, from: origin, to: output, type: rawOutput == nil ? nil : .raw,
      expected: rawInput == nil ? rawOutput : nil,
      replaces: renderer.options.replacesExisting)
    return try file.render(finishing: finishing, console.notice)
  }

  private func say(_ result: RenderedFile, _ console: Console) {
    if let note = renderer.model.noteOnImport { console.notice("\(renderer.model.name): \(note)") }
    console.notice(
      "\(output): \(counted(result.frames, "frame")) (\(decimals(result.seconds)) s), "
        + "\(counted(result.channels, "channel")) at \(result.sampleRate) Hz, \(result.sampleFormat)"
        + (result.modelRate.map { ", through \($0) Hz" } ?? "")
        + (result.legend.map { ": " + $0 } ?? ""))
    if result.clipped > 0 {
      console.notice("\(output): \(counted(result.clipped, "sample")) beyond full scale clipped")
    }
    for sentence in result.outsideDelays.sentences {
      console.notice("\(output): \(sentence)")
    }
    if let input, let first = result.firstNonFiniteInput {
      console.notice(
        "\(input): \(counted(result.nonFiniteInput, "sample")) infinite or not a number, made silent; the first at "
          + "\(decimals(first.seconds)) s (frame \(first.frame)), channel \(first.channel)")
    }
    let made = result.nonFinite - result.nonFiniteInput
    if made > 0 {
      console.notice(
        "\(output): \(counted(made, "sample")) infinite or not a number, made silent; "
          + "--check non-finite names what made the first")
    }
  }
}
