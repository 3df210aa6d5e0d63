// SPDX-License-Identifier: Apache-2.0

package import AudioIO
internal import GraphIR
public import Legato
internal import RealtimeCore

/// A model of steps with the files that go in, and those of what comes out.
///
///     let job = try StepJob(model, StepRequest(inputs: ["x=in.npz:audio"]))
///     let result = try job.run()
///     result.outputs["scores"]
///
/// Whether the files go with the model is known before anything is run. `legato run` is made of it.
public struct StepJob {
  /// The model of steps.
  public let model: Model
  /// How long named axes are, by the files and the request; those that nothing says it of are missing.
  public let extents: [String: Int]
  /// The labels of the largest numbers, where they are asked for.
  public let top: TopLabels?
  private let request: StepRequest
  private let settings: [ParameterSetting]
  private let inputs: GivenTensors
  private let files: TensorOutputs
  private let expectation: Expectation
  /// How pictures become the numbers of inputs.
  private let forms: [String: ImageForm]
  /// The shapes of what goes in.
  private let shapes: [String: [Int]]

  /// - Parameters:
  ///   - model: a model of steps.
  ///   - request: the files, and what else is asked for.
  ///   - settings: how its parameters stand.
  /// - Throws: `RequestError` where the request does not go with the model, `TensorError` where an array or a picture is none,
  ///   `AudioFileError` where a file has no place, or may not be replaced, `ModelError` where labels cannot be read, or a
  ///   bundle does not predict.
  public init(_ model: Model, _ request: StepRequest, settings: [ParameterSetting] = []) throws {
    try model.check(.predict)
    guard !model.executesStream else {
      throw RequestError("\(quoted(model.name)) works on frames of a stream (\(model.placeOfInputs))")
    }
    guard request.tolerance >= 0, request.tolerance.isFinite else {
      throw RequestError("\(.tolerance) is a number from 0 on, and not \(request.tolerance)")
    }
    guard request.top != nil || request.labels.isEmpty else {
      throw RequestError("\(.labels) goes with \(.top) N")
    }
    (self.model, self.request, self.settings) = (model, request, settings)
    forms = try model.imageForms(request.images)
    inputs = try GivenTensors(request.inputs, .input, for: PortNames(inputsOf: model), forms: forms)
    for name in request.images.keys.sorted() where inputs.names.contains(name) && !inputs.isImage(name) {
      throw RequestError(
        "\(.image) says how a picture becomes \(quoted(name)), and \(quoted(inputs.path(of: name))) is none")
    }
    let ports = PortNames(outputsOf: model)
    files = try TensorOutputs(request.outputs, replaceExisting: request.replacesExisting, for: ports)
    expectation = try Expectation(request.expectations, within: request.tolerance, for: ports)
    top = try request.top.map { try TopLabels($0, request.labels, of: model) }
    try files.check(against: model.files + inputs.paths + expectation.paths + (top?.paths ?? []))
    let arrays = try inputs.shapes()
    // Named axes are as long for pictures as for arrays.
    let known = try model.extents(of: arrays, known: request.extents)
    let pictures = try inputs.shapes(ofPicturesFor: model.inputs, extents: known)
    shapes = arrays.merging(pictures) { first, _ in first }
    extents = try model.extents(of: shapes, known: request.extents)
  }

  /// Whether files get the outputs.
  package var hasFiles: Bool { !files.isEmpty }
  /// Named axes that nothing says the length of.
  private var open: [String] { model.symbols.filter { extents[$0] == nil } }

  /// The inputs and outputs, as far as they are known where axes are open.
  package func interface() throws -> StepInterface {
    let compilation =
      open.isEmpty ? try model.compilation(extents: extents, options: request.compiler) : nil
    return StepInterface(model, compilation, forms, open: open)
  }

  // MARK: Running

  /// Reads what goes in, and compiles the model.
  ///
  /// - Throws: `RequestError` where an input, the length of an axis or a step is missing, `TensorError` for numbers that an
  ///   input does not take, `ModelError` for a model that is none, `Misfit` where outputs of another shape are expected.
  package func prepared() throws -> Prepared {
    if let missing = model.inputs.first(where: { shapes[$0.name] == nil }) {
      throw RequestError(
        "the input \(quoted(missing.name)) is missing, which takes \(missing.axes); "
          + "\(.input) \(missing.name)=FILE gives it"
      )
    }
    if let axis = open.first {
      throw RequestError(
        "nothing says how long the axis \(quoted(axis)) is; \(.bind) \(printable(axis))=N does")
    }
    let compilation = try model.compilation(extents: extents, options: request.compiler)
    try top?.check(compilation)
    let stacked = try StepSequence.steps(of: shapes, for: compilation.layout, asked: request.steps)
    let misfits = try expectation.misfits(compilation.layout, steps: stacked, of: model.filePath)
    guard misfits.isEmpty else { throw Misfit(lines: misfits) }
    let sequence = try StepSequence(
      tensors(compilation.layout), for: compilation.layout, steps: request.steps)
    return Prepared(compilation: compilation, sequence: sequence)
  }

  /// A program with all that goes in.
  package struct Prepared {
    package let compilation: Compilation
    package let sequence: StepSequence
  }

  /// Outputs of another shape are expected.
  package struct Misfit: Error {
    /// A line for each of them.
    package let lines: [String]
  }

  /// The arrays and pictures, as far as steps of them are asked for.
  private func tensors(_ layout: ProgramLayout) throws -> [String: Tensor] {
    var rows: [String: Int] = [:]
    for port in layout.inputs where shapes[port.name]?.count == port.shape.count + 1 {
      rows[port.name] = request.steps
    }
    let tensors = try inputs.tensors(shapes, rows: rows)
    for input in model.inputs where !inputs.isImage(input.name) {
      guard let misfit = tensors[input.name].flatMap(input.misfit) else { continue }
      throw TensorError.unreadable(path: inputs.path(of: input.name), reason: misfit)
    }
    return tensors
  }

  /// A line for each input, of what goes into a step, where there are several.
  package func notices(of sequence: StepSequence, _ layout: ProgramLayout) -> [String] {
    guard sequence.isStacked else { return [] }
    return layout.inputs.enumerated().map { index, port in
      let (file, given) = (inputs.path(of: port.name), shapes[port.name]?.first ?? 0)
      return sequence.changes(index)
        ? "\(file): \(counted(sequence.steps, "step")) of \(port.shape) for \(quoted(port.name))"
          + (given > sequence.steps ? ", of \(given)" : "")
        : "\(file): \(port.shape) for \(quoted(port.name)), the same in each step"
    }
  }

  /// All steps, one after the other.
  ///
  /// - Parameter progress: is told before each step how many are done.
  package func outputs(_ prepared: Prepared, _ progress: (Int) -> Void) throws -> [String: Tensor] {
    var runner = try StepRunner(prepared.compilation, settings: settings)
    return runner.run(prepared.sequence, progress: progress)
  }

  /// The first number that is not finite, as a sentence; nil where all are.
  package func firstNonFinite(_ prepared: Prepared, _ progress: (Int) -> Void) throws -> String? {
    let sequence = prepared.sequence
    let check = try prepared.compilation.finiteCheck(settings: settings)
    for step in 0..<sequence.steps {
      let numbers = prepared.compilation.layout.inputs.indices.map { Array(sequence.numbers($0, step: step)) }
      if let found = check.run(numbers, frames: 1) { return found.description }
      progress(step + 1)
    }
    return nil
  }

  /// Writes the files, which appear together; returns a line for each.
  package func write(_ outputs: [String: Tensor], pending: PendingFiles? = nil) throws -> [String] {
    try files.write(outputs, pending: pending)
  }

  /// Compares outputs with the expected ones.
  package func comparison(_ outputs: [String: Tensor]) throws -> Expectation.Comparison {
    try expectation.comparison(outputs, of: model.filePath)
  }

  /// The outcome of all steps.
  public struct Result: Sendable {
    /// The outputs by their names, with an axis of steps in front where there are several; empty where nothing was run.
    public let outputs: [String: Tensor]
    /// How many steps were run: 0 where outputs of another shape are expected.
    public let steps: Int
    /// A line for each output that is not as it is expected; empty where all are.
    public let differences: [String]
  }

  /// Runs all steps, and writes the files. Where outputs of another shape are expected, nothing is run or written.
  ///
  /// - Throws: `RequestError` where an input, the length of an axis or a step is missing, `TensorError` where a file is damaged,
  ///   `AudioFileError` where one cannot be written, `ModelError` for a model that is none.
  public func run() throws -> Result {
    let prepared: Prepared
    do { prepared = try self.prepared() } catch let misfit as Misfit {
      return Result(outputs: [:], steps: 0, differences: misfit.lines)
    }
    let outputs = try outputs(prepared) { _ in }
    _ = try write(outputs)
    return Result(
      outputs: outputs, steps: prepared.sequence.steps, differences: try comparison(outputs).differences)
  }
}
