// SPDX-License-Identifier: Apache-2.0

import Legato
import Testing

@testable import InterfaceWriting

/// The Swift file of a model; that such files compile and compute is tried by `OutsidePackageTests`.
@Suite struct ModelInterfaceTests {
  private func text(
    _ model: String, resource: String? = nil, file: String = "Net.swift",
    _ change: (inout ModelInterface.Terms) -> Void = { _ in }
  ) throws -> String {
    let model = try Model(model, name: "net.json")
    var terms = ModelInterface.Terms()
    for input in model.inputs { terms.forms[input.name] = input.image }
    change(&terms)
    let places = ModelInterface.Places(model: "net.json", swift: file, options: "", resource: resource)
    return try ModelInterface(model, terms, places).text
  }

  private static let activity = """
    { "legato": 1, "name": "Activity", "description": "Which way a watch moves",
      "inputs": { "readings": { "shape": [50, 3], "description": "Acceleration in g." }, "time": { "shape": [] } },
      "parameters": { "memory": { "default": 0.5, "minimum": 0, "maximum": 0.9, "unit": "dB" } },
      "graph": { "level": "time * mean(readings, axis: 0)", "h": "level + memory * delay(h, 1)",
                 "scores": "softmax(h)" },
      "outputs": [{ "name": "scores", "labels": ["rest", "3 steps", "rest"] }] }
    """

  /// Expects one line of a request that cannot be met.
  private func expect(_ message: String, of body: () throws -> String) {
    do {
      _ = try body()
      Issue.record("nothing is refused")
    } catch { #expect("\(error)" == message) }
  }

  private func expect(_ text: String, says lines: [String], _ comment: Comment? = nil) {
    let said = Set(text.split(separator: "\n").map { String($0.drop { $0 == " " }) })
    for line in lines { #expect(said.contains(line), comment ?? "\(line)") }
  }

  @Test func stepsHaveInputsOutputsLabelsAndState() throws {
    let text = try text(Self.activity)
    expect(
      text,
      says: [
        "//     legato interface net.json -o Net.swift",
        "/// Which way a watch moves.",
        "public struct Net: ~Copyable, Sendable {",
        "public static let readingsShape = [50, 3]",
        "/// - Parameter readings: Acceleration in g. Shape [50, 3].",
        "public mutating func prediction(readings: Tensor, time: Float) throws(RequestError) -> Output {",
        "public mutating func prediction(readings: [Float], time: Float) throws(RequestError) -> Output {",
        "public mutating func withReadings(_ body: (inout MutableSpan<Float>) -> Void) {",
        "case rest", "case _3Steps = \"3 steps\"", "case rest2 = \"rest (2)\"",
        "try model.expect(labels: Self.scoresNames, of: \"scores\", for: \"Net\")",
        "states: [\"h\": [1, 3]],",
        "public var h: Tensor",
        "/// From 0 to 0.9 dB, at first 0.5.",
        "public let memory: Parameter",
      ])
    #expect(!text.contains("Bundle.module") && !text.contains(".module"))
    #expect(
      try self.text(Self.activity, resource: "Models/net.json").contains("folder + \"/Models/net.json\""))
    #expect(!text.split(separator: "\n").contains { $0.hasSuffix(" ") })
  }

  @Test func anInputThatAnOutputGivesBackIsAState() throws {
    let model = """
      { "legato": 1, "inputs": { "x": { "shape": [2] }, "hiddenIn": { "shape": [3] }, "c": { "shape": [2] },
                                 "otherIn": { "shape": [2] } },
        "graph": { "hiddenOut": "0.5 * hiddenIn", "n": "c + x", "otherOut": "sum(x, axis: 0)",
                   "y": "x + otherIn + delay(x, 1)" },
        "outputs": ["y", "hiddenOut", "n", "otherOut"], "listen": { "states": { "c": "n" } } }
      """
    let made = try text(model)
    expect(
      made,
      says: [
        // One whose output has another shape is an input like any other.
        "public mutating func prediction(x: Tensor, otherIn: Tensor) throws(RequestError) -> Output {",
        "inputs: [\"x\": [2], \"hiddenIn\": [3], \"c\": [2], \"otherIn\": [2]],",
        "states: [\"x\": [1, 2]],",
        "runner = try StepRunner(compilation, carrying: [\"hiddenIn\": \"hiddenOut\", \"c\": \"n\"])",
        "/// The numbers of `n` in the last step, and 0 before the first one. Shape [2].",
        "public init(hiddenIn: Tensor, c: Tensor, x: Tensor) {",
      ])
    #expect(!made.contains("set(hiddenIn") && !made.contains("hiddenInShape"))
  }

  @Test func anInputIsNoStateWhereNothingElseGoesInOrItIsDelayed() throws {
    let effect = """
      { "legato": 1, "inputs": { "audioIn": { "shape": [64] } }, "graph": { "audioOut": "tanh(audioIn)" },
        "outputs": ["audioOut"] }
      """
    expect(
      try text(effect),
      says: [
        "public mutating func prediction(audioIn: Tensor) throws(RequestError) -> Output {",
        "runner = try StepRunner(compilation)",
      ])
    // What the file states is one.
    let stated = effect.replacing(
      "[\"audioOut\"]", with: "[\"audioOut\"], \"listen\": { \"states\": { \"audioIn\": \"audioOut\" } }")
    expect(
      try text(stated),
      says: [
        "public mutating func prediction() -> Output {",
        "runner = try StepRunner(compilation, carrying: [\"audioIn\": \"audioOut\"])",
      ])
    let delayed = """
      { "legato": 1, "inputs": { "x": { "shape": [2] }, "hIn": { "shape": [2] } },
        "graph": { "hOut": "x + 0.5 * hIn + delay(hIn, 1)" }, "outputs": ["hOut"] }
      """
    expect(
      try text(delayed),
      says: [
        "public mutating func prediction(x: Tensor, hIn: Tensor) throws(RequestError) -> Output {",
        "runner = try StepRunner(compilation)", "states: [\"hIn\": [1, 2]],", "public init(hIn: Tensor) {",
      ])
  }

  @Test func picturesAndLabelsMayBeSaidBesideTheModel() throws {
    let model = """
      { "legato": 1, "inputs": { "data": { "shape": ["batch", 3, 8, 8] } },
        "graph": { "y": "sum(data, axis: [2, 3])" }, "outputs": ["y"] }
      """
    let made = try text(model) { terms in
      terms.extents = ["batch": 1]
      terms.forms = ["data": .imageNet]
      terms.labels = ["y": ["a", "b", "c"]]
    }
    expect(
      made,
      says: [
        "private static let axes = [\"batch\": 1]",
        "public mutating func prediction(data: ImageFile) throws -> Output {",
        "public enum Label: String, CaseIterable, Sendable {",
      ])
    // The file says nothing of labels that could have changed.
    #expect(!made.contains("model.expect(") && made.contains("ImageForm(.rgb, mean: [0.485, 0.456, 0.406]"))
    expect("nothing says how long the axis 'batch' is; --bind batch=N does") { try text(model) }
    expect("there are 2 labels for the output 'y' of shape [1, 3]; one for each along its last axis fits") {
      try text(model) {
        $0.extents = ["batch": 1]
        $0.labels = ["y": ["a", "b"]]
      }
    }
  }

  @Test func moreLabelsThanAnEnumerationTakesAreRefused() throws {
    let count = ModelInterface.mostLabels + 1
    let model = """
      { "legato": 1, "inputs": { "x": { "shape": [\(count)] } }, "graph": { "y": "2 * x" }, "outputs": ["y"] }
      """
    let labels = (0..<count).map { "label \($0)" }
    expect("the output 'y' has 4097 labels; an enumeration has at most 4096") {
      try text(model) { $0.labels = ["y": labels] }
    }
  }

  @Test func effectsHaveParametersAndBlocks() throws {
    let effect = try text(
      """
      { "legato": 1, "name": "Gain", "inputs": { "x": { "shape": ["channels", "frames"] } },
        "parameters": { "gain": { "default": 1, "minimum": 0, "maximum": 4, "description": "How loud." } },
        "graph": { "y": "x * gain" }, "outputs": ["y"] }
      """)
    expect(
      effect,
      says: [
        "public init(contentsOf path: String, channels: Int, sampleRate: Double? = nil) throws {",
        "public mutating func process(frames: Int, inPlace samples: inout MutableSpan<Float>) {",
        "/// How loud. From 0 to 4, at first 1.",
      ])
    let two = try text(
      """
      { "legato": 1, "inputs": { "x": { "shape": ["frames"] }, "key": { "shape": ["frames"] } },
        "graph": { "y": "x * key" }, "outputs": ["y"] }
      """)
    expect(two, says: ["public let keyRows: Range<Int>", "keyRows = context.inputRows(named: \"key\")!"])
    let none = try text(
      """
      { "legato": 1, "clock": "stream", "inputs": {}, "graph": { "y": "noise(1)" }, "outputs": ["y"] }
      """)
    expect(none, says: ["public mutating func process(frames: Int, output: inout MutableSpan<Float>) {"])
  }

  @Test func typesAreCalledAsFilesAreAndNoneIsShadowed() {
    #expect(ModelInterface.file(for: "activity-v2.json") == "ActivityV2.swift")
    #expect(ModelInterface.file(for: "3d.onnx") == "_3D.swift")
    #expect(ModelInterface.file(for: "model.json") == "TypedModel.swift")
  }
}
