// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
public import Legato
internal import NativeCode

/// Renders files through a model, or a chain of them, any number at a time.
///
///     let renderer = try FileRenderer(model, settings: [model.setting("resolution", to: "4")])
///     let file = try renderer.render("in.wav", to: "out.flac")
///
/// A model for one channel runs once for each channel of a file; a model for two reads the one of a mono file twice. A
/// model that states a rate runs at that rate: other files are resampled for it, and back. Programs are made when a
/// file first needs them, one for each number of channels and rate, and shared by all threads. What is rendered has the
/// same bits whatever the blocks, the threads and the CPU.
public final class FileRenderer: Sendable {
  public let model: Model
  public let settings: [ParameterSetting]
  public let options: RenderOptions
  /// The points through which parameters move; nil for none.
  public let automation: AutomationFile?
  let programs: Programs

  /// - Parameters:
  ///   - model: A model of a stream; one without inputs makes its sound of itself.
  ///   - settings: The values of parameters before the first frame; of one parameter, the last one counts.
  ///   - automation: The points through which parameters move; nil for none.
  ///   - options: All else that decides what is written, and how.
  /// - Throws: `RenderingError.unfit` where the model executes steps; `request` where the options ask for what there
  ///   cannot be; `points` where the automation does not fit it; `model` where it cannot be given a control that is
  ///   automated.
  public init(
    _ model: Model, settings: [ParameterSetting] = [], automation: AutomationFile? = nil,
    options: RenderOptions = RenderOptions()
  ) throws(RenderingError) {
    try Self.check(model)
    do throws(RequestError) { try options.check() } catch { throw .request(error) }
    var points: AutomationPoints?
    if let automation {
      do throws(ModelError) {
        self.model = try model.with(controlsOfPresets: [], andParameters: automation.parameters)
      } catch {
        throw .model(error)
      }
      points = try AutomationPoints(automation, for: self.model)
    } else {
      self.model = model
    }
    (self.settings, self.automation, self.options) = (settings, automation, options)
    programs = Programs(self.model, options.compiler, settings: settings, automation: points)
  }

  /// Throws where a model renders no files.
  package static func check(_ model: Model) throws(RenderingError) {
    guard model.executesStream else {
      throw .unfit(
        "\(quoted(model.name)) executes steps (\(model.placeOfInputs)); only models of streams, with frames, render "
          + "files")
    }
  }

  /// Throws where the model reads no sound, and so renders no file into another one.
  func checkInputs() throws(RenderingError) {
    guard !model.inputs.isEmpty else {
      throw .unfit("\(quoted(model.name)) has no input; it renders so many seconds of sound, not files")
    }
  }

  /// Throws where the model needs sound.
  func checkNoInputs() throws(RenderingError) {
    guard model.inputs.isEmpty else {
      throw .unfit("\(quoted(model.name)) has an input; it renders files, not so many seconds")
    }
  }

  /// Renders a file into another one, which appears in its place when it is whole.
  ///
  /// - Parameters:
  ///   - input: The path of a WAV, RF64, FLAC, AIFF, Ogg, CAF or MP3 file.
  ///   - output: The path of the file to make; its extension chooses the type. It may be the input's.
  ///   - progress: Is told after each block how many frames of the input were read; where it answers false, the run
  ///     ends, and nothing is written.
  ///   - notice: Takes what is odd about the model, the input and the output, a line each.
  /// - Throws: `RenderingError`; what stood in the output's place is as it was then.
  public func render(
    _ input: String, to output: String, progress: (_ frames: Int) -> Bool = { _ in true },
    notice: (String) -> Void = { _ in }
  ) throws(RenderingError) -> RenderedFile {
    try RenderingError.of {
      let file = try FileRun(
        self, from: .file(try AudioFileReader(path: input)), to: output, replaces: options.replacesExisting)
      return try file.render(progress: progress, notice)
    }
  }

  /// Renders a model without inputs, such as an instrument, into a file, which appears in its place when it is whole.
  ///
  ///     try FileRenderer(string).render(seconds: 3, to: "string.wav")
  ///
  /// - Parameters:
  ///   - seconds: How long it sounds, up to 40,000,000 s; `options.tail` adds nothing.
  ///   - sampleRate: Frames per second, up to 16,000,000; nil for the rate that the model states, or 48000.
  ///   - output: The path of the file to make; its extension chooses the type.
  ///   - progress: Is told after each block how many frames were made; where it answers false, the run ends, and
  ///     nothing is written.
  ///   - notice: Takes what is odd about the model and the output, a line each.
  /// - Throws: `RenderingError`; what stood in the output's place is as it was then.
  public func render(
    seconds: Double, sampleRate: Int? = nil, to output: String,
    progress: (_ frames: Int) -> Bool = { _ in true }, notice: (String) -> Void = { _ in }
  ) throws(RenderingError) -> RenderedFile {
    try RenderingError.of {
      let file = try FileRun(
        self, from: .model(seconds: seconds, sampleRate: sampleRate), to: output,
        replaces: options.replacesExisting)
      return try file.render(progress: progress, notice)
    }
  }

  /// The files that the sound is made of, beside the inputs: no output may take their places.
  var sources: [String] { model.files + [automation?.path].compactMap(\.self) }

  /// Opens the compiler's library on a thread of its own, and returns at once, unless code for this machine is kept:
  /// opening it takes most of the time of a short run. Where the system gives no thread, whoever compiles opens it.
  public func prepare() {
    guard options.compiler.cache?.keptHost == nil else { return }
    _ = DetachedThread.begin { _ = try? HostCompiler.found() }
  }
}
