// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Glibc
internal import GraphIR
internal import Legato

/// One file on its way through a model into another file.
///
/// Making it settles what can be wrong with the command line, the model, the input, and how channels meet. Only then
/// the output is opened.
struct FileRun {
  private let reader: AudioFileReader
  private let renderer: Renderer
  /// Nil where nobody asked for it.
  private let search: NonFiniteSearch?
  private let outputs: OutputChannels
  private let outputPath: String
  private let options: AudioFileWriter.Options
  /// What the compiler finds odd about the model.
  private let warnings: [String]

  init(_ arguments: Arguments) throws {
    let operands = try arguments.operands("MODEL", "INPUT", "OUTPUT")
    let block = try arguments.integer(.block, in: 1...65_536) ?? 4096
    let chosenInputs = try ChannelList(.inputs, of: arguments)
    let chosenOutputs = try ChannelList(.outputs, of: arguments)
    let compilerOptions = try CompilerOptions(arguments)
    let isChecked = try arguments.choice(.check, [("non-finite", true)]) ?? false
    var options = try AudioFileWriter.Options(arguments)
    let inputPath = operands[1] == "-" ? "/dev/stdin" : operands[1]
    outputPath = operands[2] == "-" ? "/dev/stdout" : operands[2]
    if outputPath == "/dev/stdout", isatty(STDOUT_FILENO) == 1 {
      throw Failure.usage(
        "the standard output is a terminal, which plays no sound; name a file, or write to a pipe")
    }

    let model = try Model(contentsOf: operands[0])
    guard model.executesStream else {
      throw Failure.failed(
        "\(quoted(model.name)) executes steps; only models of streams, with frames, render files")
    }
    guard !model.inputs.isEmpty else {
      throw Failure.failed("\(quoted(model.name)) has no input; only models with inputs render files")
    }
    let settings = try ParameterSetting.all(of: arguments, for: model)

    reader = try AudioFileReader(path: inputPath)
    let sound = reader.description
    try chosenInputs?.check(count: sound.channels, owner: "\(sound.path) has")
    let inputs = chosenInputs?.channels ?? Array(0..<sound.channels)
    let fit = try ChannelFit(
      model, channels: inputs.count, sampleRate: sound.sampleRate,
      source: chosenInputs == nil ? "\(sound.path) has" : "--inputs names")
    let compilation = try model.compilation(
      extents: fit.extents, sampleRate: Double(sound.sampleRate), options: compilerOptions)
    warnings = compilation.warnings
    let program = try compilation.program()
    outputs = try OutputChannels(program.layout, contexts: fit.contexts, chosen: chosenOutputs)

    renderer = try Renderer(
      program, contexts: fit.contexts, channels: sound.channels, inputs: inputs, outputs: outputs.rows,
      block: block)
    for setting in settings { renderer.set(setting) }
    search =
      isChecked
      ? try NonFiniteSearch(
        compilation, contexts: fit.contexts, inputs: inputs, settings: settings, path: sound.path) : nil
    options.expectedFrames = sound.frames
    self.options = options
  }

  /// Renders the whole file, and says what came of it.
  func render(_ console: Console) throws {
    for notice in reader.notices + warnings { console.notice(notice) }
    Interruption.begin()
    let writer = try AudioFileWriter(
      path: outputPath, channels: outputs.rows.count, sampleRate: reader.description.sampleRate,
      like: reader.description, options: options, pending: Interruption.pending)
    for notice in writer.notices { console.notice(notice) }
    try renderer.render(reader, to: writer) { source, frames in try search?.look(at: source, frames: frames) }
    try writer.finish()

    let seconds = Double(writer.framesWritten) / Double(writer.sampleRate)
    console.notice(
      "\(outputPath): \(counted(writer.framesWritten, "frame")) (\(decimals(seconds)) s), "
        + "\(counted(writer.channels, "channel")) at \(writer.sampleRate) Hz, \(writer.sampleFormat.name)"
        + (outputs.legend.map { ": " + $0 } ?? ""))
    if writer.clippedSamples > 0 {
      console.notice("\(outputPath): \(counted(writer.clippedSamples, "sample")) beyond full scale clipped")
    }
    if writer.nonFiniteSamples > 0 {
      console.notice(
        "\(outputPath): \(counted(writer.nonFiniteSamples, "sample")) infinite or not a number, made silent; "
          + "--check non-finite names what made the first")
    }
  }
}
