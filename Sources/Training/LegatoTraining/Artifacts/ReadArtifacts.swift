// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import Foundation
internal import GraphGradients
internal import GraphIR
internal import TensorFiles

/// A folder of artifacts, read and not believed: programs share memory by what `artifacts.json` says of their ports, so
/// that each of them has to have these shapes.
struct ReadArtifacts {
  let contents: ArtifactsContents
  let learning: LearningGraph
  /// The graph of what depends on nothing that learns.
  let features: Graph?
  /// The optimizer's graph.
  let step: Graph
  /// The model's graph.
  let inference: Graph

  init(_ folder: String) throws(TrainingError) {
    func file(_ name: String) -> String { "\(folder)/\(name)" }
    let contents = try Self.contents(file(ArtifactsFile.contents))
    self.contents = contents
    let frozen = try Self.arrays(file(ArtifactsFile.frozen), contents.frozen)
    // Numbers of weights that learn come with the checkpoint.
    var numbers = frozen
    for port in contents.learned {
      numbers[port.name] = Numbers([Float](repeating: 0, count: port.shape.reduce(1, *)))
    }
    func graph(_ ports: ProgramPorts, _ name: String) throws(TrainingError) -> Graph {
      try ports.graph(Self.text(file(name)), file: file(name), weights: numbers)
    }
    let programs = contents.programs
    let training = try graph(programs.training, ArtifactsFile.training)
    let evaluation = try graph(programs.evaluation, ArtifactsFile.evaluation)
    step = try graph(programs.optimizer, ArtifactsFile.optimizer)
    inference = try graph(programs.inference, ArtifactsFile.inference)

    let arrays =
      contents.learned.map { Weights(name: $0.name, shape: $0.shape, values: numbers[$0.name]!) }
      + contents.parameters.map { Weights(name: $0.name, shape: [], values: Numbers([$0.start])) }
    let together = [contents.together]
    let ports = contents.examples + contents.features
    var batch = Dictionary(uniqueKeysWithValues: ports.map { ($0.name, together + $0.shape) })
    for array in arrays { batch[array.name] = array.shape }
    let classes = contents.classes == nil ? [] : [LearningGraph.predicted, LearningGraph.actual]
    try Self.check(
      training, file(ArtifactsFile.training), inputs: batch.merging([LearningGraph.shares: together]) { $1 },
      outputs: contents.scores.map { ($0, []) }
        + arrays.map { (Graph.gradientName(of: $0.name), $0.shape) })
    try Self.check(
      evaluation, file(ArtifactsFile.evaluation), inputs: batch,
      outputs: contents.scores.map { ($0, together) } + classes.map { ($0, nil) })
    features = try programs.features.map { ports throws(TrainingError) in
      let graph = try graph(ports, ArtifactsFile.features)
      try Self.check(
        graph, file(ArtifactsFile.features),
        inputs: Dictionary(uniqueKeysWithValues: contents.examples.map { ($0.name, [1] + $0.shape) }),
        outputs: contents.features.map { ($0.name, [1] + $0.shape) })
      return graph
    }
    let all = [LearningProgram.Layout(arrays.map(\.values.count)).count]
    let moments = (0..<contents.optimizer.moments).map { "m\($0)" }
    var row = Dictionary(uniqueKeysWithValues: (["p", "g"] + moments).map { ($0, all) })
    row["factors"] = [3]
    try Self.check(
      step, file(ArtifactsFile.optimizer), inputs: row, outputs: (["p"] + moments).map { ($0, all) })
    try Self.check(
      inference, file(ArtifactsFile.inference),
      inputs: Dictionary(uniqueKeysWithValues: contents.examples.map { ($0.name, $0.shape) }), outputs: [])
    for array in arrays {
      for own in inference.weights where own.name == array.name && own.shape != array.shape {
        throw .data(
          "\(file(ArtifactsFile.inference)): the weights \(quoted(own.name)) are \(own.shape), and not \(array.shape)"
        )
      }
    }
    learning = LearningGraph(
      evaluation: evaluation, gradient: training, learned: arrays, parameters: contents.parameters,
      examples: ports.map(\.input),
      scores: contents.scores, classes: contents.classes.map { ($0.target, $0.count) })
  }

  /// The task, as far as it was not made into programs.
  var task: TrainingTask {
    let inputs = Set(inference.inputs.map(\.name))
    let targets = contents.examples.filter { !inputs.contains($0.name) }
    return TrainingTask(
      loss: contents.loss, metrics: contents.metrics,
      trainable: contents.learned.map(\.name) + contents.parameters.map(\.name),
      targets: Dictionary(uniqueKeysWithValues: targets.map { ($0.name, $0.shape) }), batch: contents.batch,
      accumulate: contents.accumulate ?? 1)
  }

  // MARK: Files

  private static func bytes(
    _ path: String, most: Int = ArtifactsFile.mostBytes
  ) throws(TrainingError) -> [UInt8] {
    let bytes: [UInt8]
    do throws(AudioFileError) { bytes = try FileBytes.read(path, most: most + 1, waits: false) } catch {
      throw .data(error.description)
    }
    guard bytes.count <= most else { throw .data("\(path): has more than \(most) bytes, which are the most") }
    return bytes
  }

  private static func text(_ path: String) throws(TrainingError) -> String {
    guard let text = String(validating: try bytes(path), as: UTF8.self) else {
      throw .data("\(path): is no text in UTF-8")
    }
    return text
  }

  private static func contents(_ path: String) throws(TrainingError) -> ArtifactsContents {
    let data = Data(try bytes(path))
    struct Form: Codable { let artifacts: Int }
    guard let form = try? JSONDecoder().decode(Form.self, from: data).artifacts else {
      throw .data("\(path): says nothing of artifacts; `legato train --artifacts` writes such a file")
    }
    guard (ArtifactsContents.oldestForm...ArtifactsContents.form).contains(form) else {
      throw .data(
        "\(path): is of form \(form), and \(ArtifactsContents.oldestForm) to \(ArtifactsContents.form) are read: "
          + "write the artifacts anew")
    }
    let contents: ArtifactsContents
    do { contents = try JSONDecoder().decode(ArtifactsContents.self, from: data) } catch {
      throw .data("\(path): is damaged: something that artifacts say is missing or of another kind")
    }
    // Ports of one name share memory.
    let learned = contents.learned.map(\.name) + contents.parameters.map(\.name)
    let names =
      contents.examples.map(\.name) + contents.features.map(\.name) + learned + contents.scores
      + learned.map { Graph.gradientName(of: $0) }
      + [LearningGraph.predicted, LearningGraph.actual, LearningGraph.shares]
    let most = 1 << 20
    guard (1...most).contains(contents.batch), (1...contents.batch).contains(contents.together),
      contents.batch.isMultiple(of: contents.together)
    else {
      throw .data("\(path): a batch of \(contents.batch) is not cut into parts of \(contents.together)")
    }
    guard (1...most).contains(contents.accumulate ?? 1) else {
      throw .data("\(path): an update has 1 to \(most) batches, and not \(contents.accumulate!)")
    }
    guard Set(names).count == names.count, contents.scores.first == "loss", !learned.isEmpty else {
      throw .data("\(path): is damaged: names stand twice, or the loss or what learns is missing")
    }
    let prefixes = [LearningGraph.statePrefix, LearningGraph.nextPrefix]
    if let name = names.first(where: { prefixes.contains(where: $0.hasPrefix) }) {
      throw .data("\(path): \(quoted(name)) is a name of what a stream remembers; artifacts have none")
    }
    guard contents.features.isEmpty == (contents.programs.features == nil) else {
      throw .data("\(path): is damaged: what is made of an example goes with a program")
    }
    for port in contents.examples + contents.features + contents.learned {
      if let flaw = Shape(port.shape).flaw { throw .data("\(path): \(quoted(port.name)) \(flaw)") }
    }
    let count = contents.learned.reduce(contents.parameters.count) { $0 + $1.shape.reduce(1, *) }
    guard count <= ArtifactsFile.mostNumbers else {
      throw .data("\(path): what learns has \(count) numbers; \(ArtifactsFile.mostNumbers) are the most")
    }
    guard contents.parameters.allSatisfy(\.isWhole), (contents.classes?.count ?? 1) >= 1 else {
      throw .data("\(path): is damaged: a parameter has no range, or there are no classes")
    }
    if let flaw = contents.optimizer.flaw { throw .data("\(path): \(flaw)") }
    return contents
  }

  /// The arrays of a file, which has those of some names; there need be none where there are no names.
  private static func arrays(
    _ path: String, _ names: [String]
  ) throws(TrainingError) -> [String: Numbers] {
    guard !names.isEmpty else { return [:] }
    let bytes = try bytes(path, most: ArtifactsFile.mostWeightBytes)
    do throws(TensorFileError) {
      let file = try TensorFile(FileReader(bytes), file: path)
      var found: [String: Numbers] = [:]
      for name in names {
        guard let entry = file.entry(name) else {
          throw TensorFileError(path, "has no \(quoted(name)), which a program reads")
        }
        found[name] = try file.numbers(of: entry)
      }
      return found
    } catch {
      throw .data(error.description)
    }
  }

  /// Whether a program has no inputs but some, and all outputs and no others, in their shapes; of a shape that is nil any.
  private static func check(
    _ graph: Graph, _ file: String, inputs: [String: [Int]], outputs: [(name: String, shape: [Int]?)]
  ) throws(TrainingError) {
    for port in graph.inputs where inputs[port.name] != port.type.shape.fixed {
      let wanted = inputs[port.name].map { "is \($0) by" } ?? "is not in"
      throw .data(
        "\(file): the input \(quoted(port.name)) is \(port.type.shape), and \(wanted) \(ArtifactsFile.contents)"
      )
    }
    guard !outputs.isEmpty else { return }
    guard graph.outputs.count == outputs.count else {
      throw .data("\(file): has \(graph.outputs.count) outputs; \(outputs.count) are computed of a batch")
    }
    for (name, shape) in outputs {
      guard let output = graph.outputs.first(where: { $0.name == name }) else {
        throw .data("\(file): has no output \(quoted(name))")
      }
      let own = graph.shape(of: output.value).fixed
      guard shape == nil || shape! == own else {
        throw .data("\(file): the output \(quoted(name)) is \(own), and not \(shape!)")
      }
    }
  }
}
