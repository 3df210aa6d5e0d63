// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ImageFiles
internal import ModelFiles
internal import TensorFiles

/// A model in a bundle of Tensor/IO, with what the bundle says of pictures and labels.
extension Model {
  /// - Parameters:
  ///   - bytes: those of the bundle's file.
  ///   - file: the path of that.
  /// - Throws: `ModelError` for a bundle, or a model in it, that is none, and where the two do not agree.
  init(
    bundle bytes: [UInt8], file: String, function: String?, size: Double, extents: [String: Int],
    states: [String], constants: [String: Tensor]
  ) throws(ModelError) {
    var bundle: BundleDocument
    do throws(Diagnostics) { bundle = try BundleDocument(bytes, file: file) } catch {
      throw ModelError(error)
    }
    func refusal(_ message: String, _ place: Place) -> ModelError {
      ModelError(Diagnostics([Diagnostic(file: file, place: place, message: message)]))
    }
    let found: ModelFile
    switch ModelFolder.find(bundle.model, usedBy: file) {
    case .success(let model) where model.identity != ModelFolder.identity(of: file): found = model
    case .success: throw refusal("the model \(quoted(bundle.model)) is the bundle itself", bundle.place)
    case .failure(let flaw): throw refusal("the model \(quoted(bundle.model)) \(flaw.message)", bundle.place)
    }
    var model = try Model(
      contentsOf: found.file, function: function, size: size, extents: extents, states: states,
      constants: constants)
    guard (bundle.backend == "onnx") == (model.document.network != nil), model.composed.family.bundle == nil
    else {
      throw refusal(
        "the model \(quoted(bundle.model)) is none of the backend \(quoted(bundle.backend))", bundle.place)
    }
    // An axis of a batch that nobody gave a number has one example; others that the model leaves open are as long as the
    // bundle has them.
    var bound = extents
    for port in bundle.inputs {
      guard let axes = model.inputs.first(where: { $0.name == port.name })?.shape else { continue }
      guard model.executesStream || !port.shape.dropFirst().contains(-1) else {
        throw refusal(port.otherBatch, port.place)
      }
      for (place, (extent, own)) in zip(port.aligned(to: axes.count) ?? [], axes).enumerated() {
        guard case .symbol(let name) = own, bound[name] == nil, name != "frames", extent != -1 || place == 0
        else { continue }
        bound[name] = extent == -1 ? 1 : extent
      }
    }
    if bound != extents {
      model = try Model(
        contentsOf: found.file, function: function, size: size, extents: bound, states: states,
        constants: constants)
    }
    bundle.takeScores(computed: model.outputs, scores: model.scores)
    try model.check(bundle.inputs, of: bundle)
    if let missing = model.inputs.first(where: { input in !bundle.inputs.contains { $0.name == input.name } })
    {
      throw refusal("the model takes \(quoted(missing.name)), and 'inputs' says nothing of it", bundle.place)
    }
    try model.checkLearning(of: bundle)
    self = try model.with(bundle)
    try checkClasses(of: bundle)
  }

  /// The names of what a step of training can return.
  private var scores: Set<String> { Set(["loss"] + (document.training?.metrics.map(\.name) ?? [])) }

  /// Whether classes, where the model states no training, are such of its first output.
  private func checkClasses(of bundle: BundleDocument) throws(ModelError) {
    guard bundle.modes != [.predict], document.training == nil, symbols.isEmpty, !executesStream else {
      return
    }
    let own = Set(inputs.map(\.name))
    let targets = bundle.inputs.filter { !own.contains($0.name) }
    guard targets.count == 1, let target = targets.first, !target.shape.isEmpty else { return }
    let graph = try graph(extents: [:], sampleRate: nil)
    let (output, shape) = (graph.outputs[0].name, graph.shape(of: graph.outputs[0].value).fixed)
    let isClassifier = labels(of: output) != nil
    guard isClassifier || target.type.contains("int"),
      ModelBundle.Port.target(target.shape, of: shape, isClassifier: isClassifier) == nil
    else { return }
    throw ModelError(
      Diagnostics([
        Diagnostic(
          file: bundle.file, place: target.place,
          message: ModelBundle.Port.misfit(of: target.name, target.shape, to: output, shape))
      ]))
  }

  /// Whether targets and scores of a bundle that learns are those that its model states; where it states none, whoever
  /// trains it says them.
  private func checkLearning(of bundle: BundleDocument) throws(ModelError) {
    func refusal(_ message: String, _ place: Place) -> ModelError {
      ModelError(Diagnostics([Diagnostic(file: bundle.file, place: place, message: message)]))
    }
    guard bundle.modes != [.predict], let stated = document.training else { return }
    let own = Set(inputs.map(\.name))
    for port in bundle.inputs where !own.contains(port.name) && !stated.targets.isEmpty {
      guard let target = stated.targets.first(where: { $0.name == port.name }) else {
        let known = alternatives(stated.targets.map { quoted($0.name) }, "and")
        throw refusal(
          "\(quoted(port.name)) is no input of the model, and no target; it learns \(known)", port.place)
      }
      let extents = port.shape.filter { $0 != -1 }
      guard !port.shape.dropFirst().contains(-1) else {
        throw refusal(port.otherBatch, port.place)
      }
      if let flaw = Shape(extents).flaw { throw refusal("\(quoted(port.name)) \(flaw)", port.place) }
      let numbers = target.shape.compactMap { entry in
        if case .number(let number) = entry.extent { number } else { nil }
      }
      // What has an axis that is only named is told once that has a number.
      guard !port.shape.isEmpty, numbers.count == target.shape.count, Shape(numbers).flaw == nil else {
        continue
      }
      guard numbers.reduce(1, *) == extents.reduce(1, *) else {
        throw refusal("\(quoted(port.name)) is \(port.shape) here, and \(numbers) in the model", port.place)
      }
    }
    if let op = bundle.ops.first(where: { !scores.contains($0.name) }) {
      throw refusal(
        "'ops' names \(quoted(op.name)), which the model does not compute; there are "
          + alternatives(scores.sorted().map { quoted($0) }, "and"), op.place)
    }
  }

  /// Whether the shapes of inputs are those of the model, and pictures fit them.
  private func check(_ ports: [BundleDocument.Port], of bundle: BundleDocument) throws(ModelError) {
    for port in ports {
      guard let own = inputs.first(where: { $0.name == port.name })?.shape else { continue }
      let axes = own.map { extent -> Int? in if case .number(let number) = extent { number } else { nil } }
      func refusal(_ message: String) -> ModelError {
        ModelError(Diagnostics([Diagnostic(file: bundle.file, place: port.place, message: message)]))
      }
      guard port.shape.isEmpty || port.fits(axes) else {
        let shape = own.map(\.description).joined(separator: ", ")
        throw refusal("\(quoted(port.name)) is \(port.shape) here, and [\(shape)] in the model")
      }
      if let image = port.image, ImageLayout.axes(axes, channels: image.format.channels) == nil {
        let shape = own.map(\.description).joined(separator: ", ")
        throw refusal("\(quoted(port.name)) is [\(shape)], and no picture of \(image.format.rawValue)")
      }
    }
  }

  /// This model with pictures and labels as the bundle has them, whose outputs it has to have.
  private func with(_ bundle: BundleDocument) throws(ModelError) -> Model {
    let forms = Dictionary(bundle.inputs.compactMap { port in port.image.map { (port.name, $0) } }) {
      first, _ in
      first
    }
    var family = composed.family.taking(forms)
    family.bundle = bundle
    var result = try Model(family, controls: composed.composition.controls, batch: batch)
    let graph = symbols.isEmpty ? try graph(extents: [:], sampleRate: nil) : nil
    for port in bundle.outputs {
      func refusal(_ message: String, _ place: Place) -> ModelError {
        ModelError(Diagnostics([Diagnostic(file: bundle.file, place: place, message: message)]))
      }
      guard outputs.contains(port.name) else {
        let known = alternatives(outputs.map { quoted($0) }, "and")
        throw refusal("the model has no output \(quoted(port.name)); there are \(known)", port.place)
      }
      let own = graph?.outputs.first { $0.name == port.name }.map { graph!.shape(of: $0.value).fixed }
      if let own, !port.shape.isEmpty, !port.fits(own) {
        throw refusal("\(quoted(port.name)) is \(port.shape) here, and \(own) in the model", port.place)
      }
      guard let stated = port.labels else { continue }
      let labels = try Self.labels(stated, bundle)
      if let count = own?.last, count != labels.count {
        throw refusal("\(quoted(port.name)) has \(labels.count) labels and \(count) numbers", stated.place)
      }
      result = try result.labelled(port.name, labels)
    }
    return result
  }

  /// This model whose inputs of some names take pictures.
  package func taking(_ forms: [String: ImageForm]) throws(ModelError) -> Model {
    var result = try Model(
      composed.family.taking(forms.mapValues(\.conversion)), controls: composed.composition.controls,
      batch: batch)
    result.isRelabelled = isRelabelled
    return result
  }

  private static func labels(
    _ stated: ModelDocument.Labels, _ bundle: BundleDocument
  ) throws(ModelError) -> [String] {
    switch stated.source {
    case .names(let names): return names
    case .file(let path):
      func text(_ path: String) -> Result<FileReader, ModelFile.Refusal> {
        ModelFolder.find(path, usedBy: bundle.file).flatMap {
          ModelFolder.read($0, most: LabelText.mostBytes + 1)
        }
      }
      var read = text(path)
      // Where Tensor/IO keeps them.
      if case .failure = read, case .success(let contents) = text("assets/" + path) {
        read = .success(contents)
      }
      let message: String
      switch read {
      case .success(let contents):
        do throws(LabelText.Refusal) { return try LabelText.labels(contents.given ?? []) } catch {
          message = error.message
        }
      case .failure(let refusal): message = refusal.message
      }
      throw ModelError(
        Diagnostics([
          Diagnostic(file: bundle.file, place: stated.place, message: "the file \(quoted(path)) \(message)")
        ]))
    }
  }
}

extension BundleDocument.Port {
  /// The reason why -1 stands at no other axis than the first.
  fileprivate var otherBatch: String {
    "\(quoted(name)) is \(shape) here; -1 is the axis of a batch, the first one"
  }

  /// Its shape with an extent for each of the model's axes, of which only one of a batch may be missing, or stand in
  /// front; nil where it has others.
  fileprivate func aligned(to axes: Int) -> [Int]? {
    if shape.count == axes + 1, [-1, 1].contains(shape[0]) { return Array(shape.dropFirst()) }
    if shape.count + 1 == axes, let first = shape.first, first != -1 { return [1] + shape }
    return shape.count == axes ? shape : nil
  }

  /// Whether its shape is that of some axes; one in front of them is that of a batch, and -1 is no other.
  fileprivate func fits(_ axes: [Int?]) -> Bool {
    guard let own = aligned(to: axes.count) else { return false }
    let hasBatch = own.count == shape.count && own.first == -1
    return zip(own, axes).enumerated().allSatisfy { place, extents in
      extents.1 == nil || extents.0 == extents.1 || (hasBatch && place == 0)
    }
  }
}
