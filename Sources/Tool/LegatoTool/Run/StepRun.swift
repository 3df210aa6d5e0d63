// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import RealtimeCore

/// `legato run`: a model of steps, the arrays that go in, and where those go that come out.
struct StepRun {
  private let path: String
  private let model: Model
  private let settings: [ParameterSetting]
  private let options: CompilerOptions
  private let inputs: GivenTensors
  private let outputs: OutputFiles
  private let expectation: Expectation
  private let top: TopLabels?
  /// How pictures become the numbers of inputs.
  private let forms: [String: ImageForm]
  private let bound: [String: Int]
  /// The same as it was written.
  private let bindings: [String]
  private let steps: Int?
  private let findsNonFinite, printsJSON: Bool

  init(_ arguments: Arguments) throws {
    path = try arguments.operands("MODEL")[0]
    steps = try arguments.integer(.steps, in: 1...1_000_000_000)
    (bound, bindings) = (try arguments.bound(), arguments.values(of: .bind))
    findsNonFinite = try arguments.choice(.check, [("non-finite", true)]) ?? false
    printsJSON = arguments.has(.json)
    options = try CompilerOptions(arguments, keepsCode: true)
    model = try Model(path: path, arguments)
    try model.check(.predict)
    guard !model.executesStream else {
      throw Failure.usage(
        "\(quoted(model.name)) works on frames of a stream (\(model.placeOfInputs)); legato process renders sound "
          + "through it")
    }
    settings = try model.settings(arguments)
    forms = try arguments.imageForms(of: model)
    inputs = try GivenTensors(arguments, .input, for: PortNames(inputsOf: model), forms: forms)
    for name in try arguments.namedImageForms(of: model).keys.sorted()
    where inputs.names.contains(name) && !inputs.isImage(name) {
      throw Failure.usage(
        "--image says how a picture becomes \(quoted(name)), and \(quoted(inputs.path(of: name))) is none")
    }
    outputs = try OutputFiles(arguments, for: PortNames(outputsOf: model))
    expectation = try Expectation(arguments, for: PortNames(outputsOf: model))
    top = try TopLabels(arguments, model)
    try outputs.check(against: model.files + inputs.paths + expectation.paths + (top?.paths ?? []))
  }

  func run(_ console: Console) throws {
    let arrays = try inputs.shapes()
    // Named axes are as long for pictures as for arrays.
    let known = try model.extents(of: arrays, known: bound)
    let pictures = try inputs.shapes(ofPicturesFor: model.inputs, extents: known)
    let shapes = arrays.merging(pictures) { first, _ in first }
    let extents = try model.extents(of: shapes, known: bound)
    let open = model.symbols.filter { extents[$0] == nil }
    let asks =
      inputs.isEmpty && outputs.isEmpty && expectation.isEmpty && steps == nil && top == nil
      && !findsNonFinite
    if let note = model.noteOnImport { console.notice("\(path): \(note)") }
    guard !asks || model.inputs.isEmpty else {
      let compilation = open.isEmpty ? try model.compilation(extents: extents, options: options) : nil
      let interface = StepInterface(model, compilation, forms, open: open)
      let function = model.function.map { " --function \($0)" } ?? ""
      let words = path + function + bindings.map { " --bind \(printable($0))" }.joined()
      try console.print(printsJSON ? json(interface) : console.text(interface, path: words))
      if let note = model.noteOnStates(extents: extents) { console.notice("\(path): \(note)") }
      return
    }
    if let missing = model.inputs.first(where: { shapes[$0.name] == nil }) {
      throw Failure.usage(
        "the input \(quoted(missing.name)) is missing, which takes \(missing.axes); --input \(missing.name)=FILE gives it"
      )
    }
    try model.checkAxes(known: extents)
    let compilation = try model.compilation(extents: extents, options: options)
    try top?.check(compilation)
    for warning in compilation.warnings(settingParameters: settings.values) { console.notice(warning) }
    let stacked = try StepSequence.steps(of: shapes, for: compilation.layout, asked: steps)
    try expectation.check(compilation.layout, steps: stacked, of: path)
    let sequence = try StepSequence(
      tensors(shapes, compilation.layout), for: compilation.layout, steps: steps)
    say(what: sequence, shapes, compilation, console)

    Interruption.begin()
    defer { console.endProgress() }
    if findsNonFinite { try check(compilation, sequence, console) }
    let results = try self.results(compilation, sequence, console)
    try outputs.write(results, console)
    if printsJSON {
      try console.print(json(StepResults(model, steps: sequence.steps, results, top)))
    } else if outputs.isEmpty || top != nil {
      let plain = outputs.isEmpty ? model.outputs.filter { top?.names($0) != true } : []
      let text = plain.isEmpty ? "" : StepResults.text(of: results, plain, console)
      try console.print(text + (top?.text(results, model.outputs, path: path, console) ?? ""))
    }
    try expectation.check(results, of: path, console)
  }

  /// The arrays and pictures, as far as steps of them are asked for.
  private func tensors(_ shapes: [String: [Int]], _ layout: ProgramLayout) throws -> [String: Tensor] {
    var rows: [String: Int] = [:]
    for port in layout.inputs where shapes[port.name]?.count == port.shape.count + 1 {
      rows[port.name] = steps
    }
    let tensors = try inputs.tensors(shapes, rows: rows)
    for input in model.inputs where !inputs.isImage(input.name) {
      guard let misfit = tensors[input.name].flatMap(input.misfit) else { continue }
      throw Failure.faults(["\(inputs.path(of: input.name)): \(misfit)"])
    }
    return tensors
  }

  /// Says of each input what goes into a step, where there are several.
  private func say(
    what sequence: StepSequence, _ shapes: [String: [Int]], _ compilation: Compilation, _ console: Console
  ) {
    guard sequence.isStacked else { return }
    for (index, port) in compilation.layout.inputs.enumerated() {
      let (file, given) = (inputs.path(of: port.name), shapes[port.name]?.first ?? 0)
      console.notice(
        sequence.changes(index)
          ? "\(file): \(counted(sequence.steps, "step")) of \(port.shape) for \(quoted(port.name))"
            + (given > sequence.steps ? ", of \(given)" : "")
          : "\(file): \(port.shape) for \(quoted(port.name)), the same in each step")
    }
  }

  private func results(
    _ compilation: Compilation, _ sequence: StepSequence, _ console: Console
  ) throws -> [String: Tensor] {
    var runner = try StepRunner(compilation, settings: settings)
    var line = PreparationLine(console)
    return runner.run(sequence) { line.note("\(path): step \($0) of \(sequence.steps)") }
  }

  /// Throws the first number that is not finite.
  private func check(_ compilation: Compilation, _ sequence: StepSequence, _ console: Console) throws {
    let check = try compilation.finiteCheck(settings: settings)
    var line = PreparationLine(console)
    for step in 0..<sequence.steps {
      let numbers = compilation.layout.inputs.indices.map { Array(sequence.numbers($0, step: step)) }
      if let found = check.run(numbers, frames: 1) { throw Failure.unverified([found.description]) }
      line.note("\(path): looking at step \(step + 1) of \(sequence.steps)")
    }
  }
}
