// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import StepRunning

/// `legato run`: a model of steps on files, and what there is to say about it.
struct StepRun {
  private let path: String
  private let model: Model
  private let settings: [ParameterSetting]
  private let job: StepJob
  /// The values of `--bind` as they were written.
  private let bindings: [String]
  private let findsNonFinite, printsJSON: Bool
  /// Whether nothing is asked for but what the model takes.
  private let asks: Bool

  init(_ arguments: Arguments) throws {
    path = try arguments.operands("MODEL")[0]
    bindings = arguments.values(of: .bind)
    findsNonFinite = try arguments.choice(.check, [("non-finite", true)]) ?? false
    printsJSON = arguments.has(.json)
    var request = StepRequest(inputs: arguments.values(of: .input))
    request.steps = try arguments.integer(.steps, in: 1...1_000_000_000)
    (request.extents, request.compiler) = (
      try arguments.bound(), try CompilerOptions(arguments, keepsCode: true)
    )
    model = try Model(path: path, arguments)
    try model.check(.predict)
    guard !model.executesStream else {
      throw Failure.usage(
        "\(quoted(model.name)) works on frames of a stream (\(model.placeOfInputs)); legato process renders sound "
          + "through it")
    }
    settings = try model.settings(arguments)
    request.images = try arguments.namedImageForms(of: model)
    request.outputs = arguments.values(of: .output)
    request.replacesExisting = arguments.has(.force)
    guard !request.replacesExisting || !request.outputs.isEmpty else {
      throw Failure.usage("--force is of use with --output FILE only")
    }
    request.expectations = arguments.values(of: .expect)
    request.tolerance = try arguments.tolerance() ?? request.tolerance
    request.top = try arguments.integer(.top, in: 1...1_000_000)
    request.labels = arguments.values(of: .labels)
    job = try StepJob(model, request, settings: settings)
    asks =
      request.inputs.isEmpty && request.outputs.isEmpty && request.expectations.isEmpty
      && request.steps == nil && request.top == nil && !findsNonFinite
  }

  func run(_ console: Console) throws {
    if let note = model.noteOnImport { console.notice("\(path): \(note)") }
    guard !asks || model.inputs.isEmpty else { return try showInterface(console) }
    let prepared: StepJob.Prepared
    do { prepared = try job.prepared() } catch let misfit as StepJob.Misfit {
      throw Failure.unverified(misfit.lines)
    }
    let (compilation, sequence) = (prepared.compilation, prepared.sequence)
    for warning in compilation.warnings(settingParameters: settings.values) { console.notice(warning) }
    for line in job.notices(of: sequence, compilation.layout) { console.notice(line) }

    Interruption.begin()
    defer { console.endProgress() }
    if findsNonFinite {
      var line = PreparationLine(console)
      let found = try job.firstNonFinite(prepared) {
        line.note("\(path): looking at step \($0) of \(sequence.steps)")
      }
      if let found { throw Failure.unverified([found]) }
    }
    let results = try outputs(prepared, steps: sequence.steps, console)
    for line in try job.write(results, pending: Interruption.pending) { console.notice(line) }
    try show(results, steps: sequence.steps, console)
    let comparison = try job.comparison(results)
    for line in comparison.notices { console.notice(line) }
    guard comparison.differences.isEmpty else { throw Failure.unverified(comparison.differences) }
  }

  private func outputs(
    _ prepared: StepJob.Prepared, steps: Int, _ console: Console
  ) throws -> [String: Tensor] {
    var line = PreparationLine(console)
    return try job.outputs(prepared) { line.note("\(path): step \($0) of \(steps)") }
  }

  private func showInterface(_ console: Console) throws {
    let interface = try job.interface()
    let function = model.function.map { " --function \($0)" } ?? ""
    let words = path + function + bindings.map { " --bind \(printable($0))" }.joined()
    try console.print(printsJSON ? json(interface) : console.text(interface, path: words))
    if let note = model.noteOnStates(extents: job.extents) { console.notice("\(path): \(note)") }
  }

  private func show(_ results: [String: Tensor], steps: Int, _ console: Console) throws {
    if printsJSON {
      return try console.print(json(StepResults(model, steps: steps, results, job.top)))
    }
    guard !job.hasFiles || job.top != nil else { return }
    let plain = job.hasFiles ? [] : model.outputs.filter { job.top?.names($0) != true }
    let text = plain.isEmpty ? "" : StepResults.text(of: results, plain, console)
    try console.print(text + (job.top?.text(results, model.outputs, path: path, console) ?? ""))
  }
}

extension Arguments {
  /// The distance that `--tolerance` says.
  fileprivate func tolerance() throws(Failure) -> Double? {
    guard let text = value(of: .tolerance) else { return nil }
    guard has(.expect) else { throw .usage("--tolerance goes with --expect FILE") }
    guard let number = Double(text), number >= 0, number.isFinite else {
      throw .usage("--tolerance takes a number from 0 on, such as 1e-6, not \(quoted(text))")
    }
    return number
  }
}
