// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import FileRendering
internal import Glibc
internal import GraphIR

/// `legato process MODEL INPUT OUTPUT`: one file, and what there is to say about it.
struct SingleRun {
  private let renderer: FileRenderer
  private let model, input, output: String
  private let rawInput, rawOutput: RawFormat?
  private let report: FileReport?

  init(_ arguments: Arguments) throws {
    if arguments.operands.count > 3 {
      throw Failure.usage(
        "'\(arguments.operands[3])' is one too many; expected MODEL INPUT OUTPUT, or MODEL INPUT… --output-dir DIR"
      )
    }
    for option in BatchCommand.options where arguments.has(option) {
      throw Failure.usage("--\(option.name) goes with --output-dir DIR")
    }
    let operands = try arguments.operands("MODEL", "INPUT", "OUTPUT")
    input = operands[1] == "-" ? AudioFileReader.standardInput : operands[1]
    if input == AudioFileReader.standardInput, isatty(STDIN_FILENO) == 1 {
      throw Failure.usage("the standard input is a terminal; name a file, or read from a pipe")
    }
    output = operands[2] == "-" ? "/dev/stdout" : operands[2]
    if output == "/dev/stdout", isatty(STDOUT_FILENO) == 1 {
      throw Failure.usage(
        "the standard output is a terminal, which plays no sound; name a file, or write to a pipe")
    }
    let raw = try RawFormat(arguments)
    (rawInput, rawOutput) = (operands[1] == "-" ? raw : nil, operands[2] == "-" ? raw : nil)
    guard raw == nil || rawInput != nil || rawOutput != nil else {
      throw Failure.usage("--raw says what - is; INPUT and OUTPUT are files")
    }
    try Self.checkExtension(output)
    model = operands[0]
    report = try FileReport(arguments, model: model)
    renderer = try FileRenderer(arguments, model: model)
    try report?.check(inputs: [input], outputs: [output], used: renderer.model.usedFiles)
    try report?.file.check()
    renderer.prepare()
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
    let file = try FileRun(
      renderer, input: try AudioFileReader(path: input, raw: rawInput), output: output,
      type: rawOutput == nil ? nil : .raw, expected: rawInput == nil ? rawOutput : nil,
      replaces: renderer.options.replacesExisting)
    return try file.render(finishing: finishing, console.notice)
  }

  private func say(_ result: RenderedFile, _ console: Console) {
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
    if result.nonFiniteInput > 0 {
      console.notice(
        "\(input): \(counted(result.nonFiniteInput, "sample")) infinite or not a number, made silent before resampling"
      )
    }
    let made = result.nonFinite - result.nonFiniteInput
    if made > 0 {
      console.notice(
        "\(output): \(counted(made, "sample")) infinite or not a number, made silent; "
          + "--check non-finite names what made the first")
    }
  }
}
