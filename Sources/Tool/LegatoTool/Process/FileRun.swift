// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// One file on its way through a model into another file.
///
/// Making it settles what can be wrong with the input, the output's place, and how channels meet. Only then the output
/// is opened.
struct FileRun {
  /// What there is to say about a file that was rendered.
  struct Result: Sendable {
    var frames = 0
    var sampleRate = 0
    var channels = 0
    var sampleFormat = ""
    /// Which channels hold which output; nil where there is only one output.
    var legend: String?
    /// The rate that the sound was resampled to and back from; nil where it was not.
    var modelRate: Int?
    /// The largest magnitude, before samples are rounded; full scale is 1.
    var peak: Float = 0
    var clipped = 0
    /// Samples that were not finite and became silent.
    var nonFinite = 0
    /// How many of them came in, and would have reached their neighbours.
    var nonFiniteInput = 0
    /// The delays by a signal that were asked for frames outside of their ranges.
    var outsideDelays: [OutsideDelay] = []
    /// The model's file, in which they stand.
    var model = ""

    var seconds: Double { sampleRate > 0 ? Double(frames) / Double(sampleRate) : 0 }
  }

  private let reader: AudioFileReader
  private let source: SoundSource
  /// Nil where the model runs at the file's rate.
  private let conversion: RateConversion?
  private let modelRate: Int
  private let renderer: Renderer
  /// Nil where nobody asked for it.
  private let search: NonFiniteSearch?
  private let outputs: OutputChannels
  private let outputPath: String
  private let tail: Tail
  private let options: AudioFileWriter.Options
  /// What the compiler finds odd about the model.
  private let warnings: [String]
  /// As it was named.
  private let model: String

  /// - Parameters:
  ///   - type: the output's type; nil for what its path says.
  ///   - expected: what the output has to be; nil for anything.
  ///   - replaces: whether a file that stands in the output's place is replaced.
  ///   - owner: what a message says has the channels that do not fit; nil for the input's path.
  ///   - shelf: where the contexts come from, and where they stay; the file before is done with them.
  init(
    _ rendering: Rendering, input reader: AudioFileReader, output: String, type: AudioFileType? = nil,
    expected: RawFormat? = nil, replaces: Bool, owner: String? = nil, shelf: ContextShelf
  ) throws {
    self.reader = reader
    let sound = reader.description
    var options = rendering.options
    options.type = type
    options.replaceExisting = replaces
    options.expectedFrames = sound.frames.map { $0 + rendering.tail.frames(sampleRate: sound.sampleRate) }
    tail = rendering.tail
    try AudioFileWriter.check(path: output, like: sound, options: options)
    self.options = options
    outputPath = output

    let owner = (owner ?? sound.path) + " has"
    try RequestError.Name.inputs.check(rendering.chosenInputs ?? [], count: sound.channels, owner: owner)
    let inputs = rendering.chosenInputs ?? Array(0..<sound.channels)
    modelRate = rendering.model.sampleRate.map { Int($0) } ?? sound.sampleRate
    let fit = try ChannelFit(
      rendering.model, channels: inputs.count, sampleRate: modelRate,
      source: rendering.chosenInputs == nil ? "\(owner)" : "\(.inputs) names")
    let entry = try rendering.programs.entry(extents: fit.extents, sampleRate: modelRate)
    warnings = entry.warnings
    model = entry.compilation.file
    outputs = try OutputChannels(
      entry.program.layout, contexts: fit.contexts, chosen: rendering.chosenOutputs)
    let written = RawFormat(sampleRate: sound.sampleRate, channels: outputs.rows.count)
    if let expected, written != expected {
      throw Failure.usage("--raw says \(expected.sentence), but what is written has \(written.sentence)")
    }

    conversion = try Self.conversion(
      sound, modelRate, inputs: inputs, outputs: outputs.rows.count, rendering.quality)
    source = SoundSource(reader, through: conversion)
    renderer = Renderer(
      try shelf.bank(
        entry.program,
        ContextBank.Shape(
          contexts: fit.contexts, channels: sound.channels, inputs: inputs, outputs: outputs.rows,
          block: rendering.block),
        automation: entry.automation))
    for setting in rendering.settings { renderer.set(setting) }
    search =
      rendering.isChecked
      ? try NonFiniteSearch(
        entry.compilation, contexts: fit.contexts, inputs: inputs, settings: rendering.settings,
        automation: entry.automation, path: sound.path, sampleRate: sound.sampleRate) : nil
  }

  /// Renders the whole file.
  ///
  /// - Parameters:
  ///   - finishing: is called when a file has all its sound, and comes to its place without waiting for anybody.
  ///   - say: takes what is odd about the model, the input and the output, a line each.
  func render(finishing: () -> Void = {}, _ say: (String) -> Void) throws -> Result {
    for notice in reader.notices + warnings { say(notice) }
    let writer = try AudioFileWriter(
      path: outputPath, channels: outputs.rows.count, sampleRate: reader.description.sampleRate,
      like: reader.description, options: options, pending: Interruption.pending)
    for notice in writer.notices { say(notice) }
    let sink = SoundSink(writer, channels: outputs.rows.count, through: conversion)
    let soundsOn = try renderer.render(source, to: sink, tail: tail) { block, frames in
      guard let search else { return }
      // It has become silence, of which a function may make what is not finite, too.
      if let bad = source.firstNonFinite { throw search.failure(of: bad, reader.description) }
      try search.look(at: block, frames: frames)
    }
    // Whoever reads a pipe takes the last of it when he likes.
    if !writer.isStream { finishing() }
    try writer.finish()
    if soundsOn { say("\(outputPath): still sounds after \(Int(Tail.longest)) s, where --tail auto ends") }
    return Result(
      frames: writer.framesWritten, sampleRate: writer.sampleRate, channels: writer.channels,
      sampleFormat: writer.sampleFormat.name, legend: outputs.legend,
      modelRate: conversion == nil ? nil : modelRate, peak: writer.peak, clipped: writer.clippedSamples,
      nonFinite: source.nonFiniteSamples + sink.nonFiniteSamples + writer.nonFiniteSamples,
      nonFiniteInput: source.nonFiniteSamples, outsideDelays: renderer.outsideDelays, model: model)
  }

  /// Nil where there is nothing to resample.
  private static func conversion(
    _ sound: AudioFileDescription, _ modelRate: Int, inputs: [Int], outputs: Int,
    _ quality: ResamplingQuality
  ) throws(AudioFileError) -> RateConversion? {
    guard modelRate != sound.sampleRate else { return nil }
    do throws(ResamplerError) {
      return try RateConversion(
        fileRate: sound.sampleRate, modelRate: modelRate, inputs: Set(inputs).sorted(), outputs: outputs,
        quality: quality)
    } catch {
      throw AudioFileError(sound.path, .cannotResample(error.description))
    }
  }
}

extension RawFormat {
  fileprivate var sentence: String { "\(counted(channels, "channel")) at \(sampleRate) Hz" }
}
