// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
internal import Legato
internal import NativeCode

/// What all files of a run have in common: the model, and what the command line asks for.
struct Rendering: Sendable {
  let model: Model
  let settings: [ParameterSetting]
  let programs: Programs
  /// Where code is kept.
  let cache: CodeCache?
  let block: Int
  let chosenInputs: [Int]?
  let chosenOutputs: [Int]?
  let isChecked: Bool
  let tail: Tail
  /// How files that have another rate than the model's are resampled.
  let quality: ResamplingQuality
  let options: AudioFileWriter.Options

  /// Files that the model uses.
  var usedFiles: [String] { model.usedFiles }

  init(_ arguments: Arguments, model path: String) throws {
    block = try arguments.integer(.block, in: 1...65_536) ?? 4096
    chosenInputs = try arguments.channels(.inputs)
    chosenOutputs = try arguments.channels(.outputs)
    let compilerOptions = try CompilerOptions(arguments, cache: .ofUser())
    isChecked = try arguments.choice(.check, [("non-finite", true)]) ?? false
    tail = try Tail(arguments)
    let quality = try arguments.choice(.quality, ResamplingQuality.allCases.map { ($0.rawValue, $0) })
    self.quality = quality ?? .best
    options = try AudioFileWriter.Options(arguments)
    guard PathText.bytes(of: path).elementsEqual(path.utf8) else {
      throw Failure.usage("the model's name \(path) is not UTF-8; rename the file, or link to it")
    }

    let points = try arguments.value(of: .automate).map { path in try AutomationText(path) }
    model = try Model(path: path, arguments, moved: points?.parameters ?? [])
    guard model.executesStream else {
      throw Failure.failed(
        "\(quoted(model.name)) executes steps; only models of streams, with frames, render files")
    }
    guard !model.inputs.isEmpty else {
      throw Failure.failed("\(quoted(model.name)) has no input; only models with inputs render files")
    }
    guard quality == nil || model.sampleRate != nil else {
      throw Failure.usage(
        "--quality says how sound is resampled, and \(quoted(model.name)) states no rate: it runs at that of each file; "
          + "leave --quality out")
    }
    settings = try model.settings(arguments)
    var automation: AutomationFile?
    if let points { automation = try AutomationFile(points, for: model) }
    cache = compilerOptions.cache
    programs = Programs(model, compilerOptions, settings: settings, automation: automation)
  }
}
