// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato

/// One file on its way through a model into another file; or the sound that a model makes of itself.
///
/// Making it settles what can be wrong with the input, the output's place, and how channels meet. Only then the output
/// is opened.
package struct FileRun {
  /// Where the sound comes from.
  package enum Origin {
    case file(AudioFileReader)
    /// A model without inputs, for some seconds. The rate is the one that is asked for; nil for the model's own.
    case model(seconds: Double, sampleRate: Int?)
  }

  /// Nil where nothing is read.
  private let reader: AudioFileReader?
  private let source: SoundSource
  /// Frames of the output per second.
  private let sampleRate: Int
  /// Nil where the model runs at the file's rate.
  private let conversion: RateConversion?
  private let modelRate: Int
  private let renderer: Renderer
  /// Nil where it was not asked for.
  private let search: NonFiniteSearch?
  private let outputs: OutputChannels
  private let outputPath: String
  private let tail: Tail
  private let options: AudioFileWriter.Options
  private let pending: PendingFiles?
  /// The compiler's warnings about the model.
  private let warnings: [String]
  /// The model as it was named.
  private let model: String

  /// - Parameters:
  ///   - origin: where the sound comes from.
  ///   - output: the path of the file to make.
  ///   - type: the output's type; nil for what its path says.
  ///   - expected: what the output has to be; nil for anything.
  ///   - replaces: whether a file that stands in the output's place is replaced.
  ///   - owner: what a message says has the channels that do not fit; nil for the input's path.
  ///   - shelf: where the contexts come from, and where they stay; the file before is done with them.
  package init(
    _ renderer: FileRenderer, from origin: Origin, to output: String, type: AudioFileType? = nil,
    expected: RawFormat? = nil, replaces: Bool, owner: String? = nil, shelf: ContextShelf = ContextShelf()
  ) throws {
    let asked = renderer.options
    switch origin {
    case .file(let reader):
      try renderer.checkInputs()
      self.reader = reader
      (sampleRate, tail) = (reader.description.sampleRate, asked.tail)
    case .model(let seconds, let rate):
      try renderer.checkNoInputs()
      reader = nil
      sampleRate = try renderer.model.rate(asked: rate)
      guard (1...16_000_000).contains(sampleRate) else {
        throw RequestError("\(.rate) takes 1 to 16000000 Hz")
      }
      guard (0...4e7).contains(seconds) else {
        throw RequestError("a model without inputs sounds for 0 to 40000000 seconds")
      }
      tail = .seconds(max(seconds, 1 / Double(sampleRate)))
    }
    let sound = reader?.description
    var options = asked.writer
    options.type = type
    options.replaceExisting = replaces
    options.keepsChannels = asked.inputs == nil && asked.outputs == nil
    pending = asked.pending
    let begin = sound == nil ? 0 : sound?.frames
    options.expectedFrames = begin.map { [tail, sampleRate] in $0 + tail.frames(sampleRate: sampleRate) }
    try AudioFileWriter.check(path: output, like: sound, options: options)
    if (try? FileStatus(path: output)) != nil {
      let place = PathPlace(output)
      guard !renderer.sources.contains(where: place.isMeant(by:)) else {
        throw RequestError("\(quoted(output)) is what the sound is made of; name another file")
      }
    }
    self.options = options
    outputPath = output

    modelRate = renderer.model.sampleRate.map { Int($0) } ?? sampleRate
    let (inputs, fit) = try Self.inputs(of: sound, owner, renderer, modelRate)
    let contexts = fit?.contexts ?? 1
    let entry = try renderer.programs.entry(extents: fit?.extents ?? [:], sampleRate: modelRate)
    warnings = entry.warnings
    model = entry.compilation.file
    outputs = try OutputChannels(
      entry.program.layout, contexts: contexts, chosen: asked.outputs)
    try AudioFileWriter.check(path: output, channels: outputs.rows.count, like: sound, options: options)
    let written = RawFormat(sampleRate: sampleRate, channels: outputs.rows.count)
    if let expected, written != expected {
      throw RequestError("\(.raw) says \(expected.sentence), but what is written has \(written.sentence)")
    }

    conversion = try sound.flatMap { [outputs, modelRate] in
      try Self.conversion($0, modelRate, inputs: inputs, outputs: outputs.rows.count, asked.quality)
    }
    source =
      reader.map { [conversion] in SoundSource($0, channels: Set(inputs).sorted(), through: conversion) }
      ?? SoundSource(silentAt: sampleRate)
    self.renderer = Renderer(
      try shelf.bank(
        entry.program,
        ContextBank.Shape(
          contexts: contexts, channels: sound?.channels ?? 0, inputs: inputs, outputs: outputs.rows,
          block: asked.block),
        automation: entry.automation))
    for setting in renderer.settings { self.renderer.set(setting) }
    search =
      asked.findsNonFinite
      ? try NonFiniteSearch(
        entry.compilation, contexts: contexts, inputs: inputs, settings: renderer.settings,
        automation: entry.automation, path: sound?.path ?? output, sampleRate: sampleRate) : nil
  }

  /// The channels that are read, and how they fit the model; of a model that reads nothing, none.
  private static func inputs(
    of sound: AudioFileDescription?, _ owner: String?, _ renderer: FileRenderer, _ modelRate: Int
  ) throws(RequestError) -> ([Int], ChannelFit?) {
    guard let sound else { return ([], nil) }
    let (model, chosen) = (renderer.model, renderer.options.inputs)
    let owner = (owner ?? sound.path) + " has"
    try RequestError.Name.inputs.check(chosen ?? [], count: sound.channels, owner: owner)
    let inputs =
      chosen ?? ChannelFit.usualInputs(of: model, channels: sound.channels, sampleRate: modelRate)
    let fit = try ChannelFit(
      model, channels: inputs.count, sampleRate: modelRate,
      source: chosen == nil ? "\(owner)" : "\(.inputs) names")
    return (inputs, fit)
  }

  /// Renders the whole file.
  ///
  /// - Parameters:
  ///   - progress: is told after each block how many frames were read, or made of nothing; where it answers false, the
  ///     run ends.
  ///   - finishing: is called when a file has all its sound, and comes to its place without waiting for anybody.
  ///   - say: takes what is odd about the model, the input and the output, a line each.
  package func render(
    progress: (_ frames: Int) -> Bool = { _ in true }, finishing: () -> Void = {}, _ say: (String) -> Void
  ) throws -> RenderedFile {
    for notice in (reader?.notices ?? []) + warnings { say(notice) }
    let writer = try AudioFileWriter(
      path: outputPath, channels: outputs.rows.count, sampleRate: sampleRate, like: reader?.description,
      options: options, pending: pending)
    for notice in writer.notices { say(notice) }
    let sink = SoundSink(writer, channels: outputs.rows.count, through: conversion)
    let soundsOn = try renderer.render(source, to: sink, tail: tail) { bank, frames in
      let done = reader == nil ? bank.position + frames : source.fileFrames
      guard progress(done) else { throw AudioFileError(outputPath, .interrupted) }
      guard let search else { return }
      // It has become silence, of which a function may make what is not finite, too.
      if let bad = source.firstNonFinite, let reader { throw search.failure(of: bad, reader.description) }
      try search.look(at: bank, frames: frames)
    }
    // Whoever reads a pipe takes the last of it when he likes.
    if !writer.isStream { finishing() }
    try writer.finish()
    for notice in (reader?.lastNotices ?? []) + [writer.lastNotice].compactMap(\.self) { say(notice) }
    if soundsOn { say("\(outputPath): still sounds after \(Int(Tail.longest)) s, where --tail auto ends") }
    var file = RenderedFile()
    (file.frames, file.sampleRate, file.channels) = (writer.framesWritten, writer.sampleRate, writer.channels)
    (file.sampleFormat, file.legend) = (writer.sampleFormat.name, outputs.legend)
    file.modelRate = conversion == nil ? nil : modelRate
    (file.latency, file.peak, file.clipped) = (renderer.latency, writer.peak, writer.clippedSamples)
    file.nonFinite = source.nonFiniteSamples + sink.nonFiniteSamples + writer.nonFiniteSamples
    file.nonFiniteInput = source.nonFiniteSamples
    file.firstNonFiniteInput = source.firstNonFinite.map {
      (frame: $0.frame, seconds: Double($0.frame) / Double(writer.sampleRate), channel: $0.channel + 1)
    }
    file.outsideDelays = renderer.outsideDelays(of: model)
    return file
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
