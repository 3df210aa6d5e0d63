// SPDX-License-Identifier: Apache-2.0

import Foundation
import StepRunning
import TestEquipment
import Testing

/// Files through a model of steps, as a program has it that embeds the library.
@Suite struct StepJobTests {
  private let folder: TemporaryFolder

  init() throws {
    folder = try TemporaryFolder()
    try Tensor(shape: [3, 2], values: [1, 10, 2, 20, 3, 30]).write(to: folder("x.npy"))
    try Tensor(0.5).write(to: folder("half.npy"))
  }

  private static func sums() throws -> Model {
    try Model(
      """
      { "legato": 1, "name": "Sums", "inputs": { "x": { "shape": [2] }, "scale": { "shape": [] } },
        "graph": { "total": "x * scale + delay(total, 1)", "squared": "total * total" },
        "outputs": ["total", "squared"] }
      """)
  }

  private func request(_ change: (inout StepRequest) -> Void = { _ in }) -> StepRequest {
    var request = StepRequest(inputs: ["x=" + folder("x.npy"), "scale=" + folder("half.npy")])
    change(&request)
    return request
  }

  private func refusal(_ model: Model, _ request: StepRequest) -> String {
    do {
      _ = try StepJob(model, request).run()
      return ""
    } catch let error as RequestError { return error.text { "--\($0.rawValue)" } } catch { return "\(error)" }
  }

  @Test func arraysGoThroughStepByStep() throws {
    let job = try StepJob(Self.sums(), request { $0.outputs = [folder("out.npz")] })
    let result = try job.run()
    #expect(result.steps == 3 && result.differences.isEmpty)
    #expect(result.outputs["total"]?.values == [0.5, 5, 1.5, 15, 3, 30])
    #expect(result.outputs["squared"]?.shape == [3, 2])
    #expect(try Tensor(contentsOf: folder("out.npz"), named: "total") == result.outputs["total"])
  }

  @Test func outputsAreComparedWithFiles() throws {
    try Tensor(shape: [3, 2], values: [0.5, 5, 1.5, 15, 3, 30.5]).write(to: folder("near.npy"))
    let expected = "total=" + folder("near.npy")
    let far = try StepJob(Self.sums(), request { $0.expectations = [expected] }).run()
    #expect(far.differences.count == 1)
    #expect(far.differences.first?.hasSuffix("the most at [2, 1]: 30, not 30.5 (0.5 apart)") == true)
    let near = request { ($0.expectations, $0.tolerance) = ([expected], 0.5) }
    #expect(try StepJob(Self.sums(), near).run().differences.isEmpty)
    try Tensor([1, 2]).write(to: folder("short.npy"))
    let other = request { $0.expectations = ["total=" + folder("short.npy")] }
    let result = try StepJob(Self.sums(), other).run()
    #expect(result.outputs.isEmpty && result.differences.first?.hasSuffix("expects [2]") == true)
  }

  @Test func labelsOfTheLargestNumbersComeByRow() throws {
    let model = try Model(
      #"""
      { "legato": 1, "name": "Best", "inputs": { "x": { "shape": [2] } }, "graph": { "y": "x + 0" },
        "outputs": [{ "name": "y", "labels": ["low", "high"] }] }
      """#)
    var request = StepRequest(inputs: [folder("x.npy")])
    request.top = 1
    let job = try StepJob(model, request)
    let rows = try #require(job.top?.rows(of: job.run().outputs["y"]!, "y"))
    #expect(rows.map { $0.map(\.label) } == [["high"], ["high"], ["high"]])
    #expect(job.top?.rows(of: Tensor([1, 2, 3]), "y") == nil)
    request.labels = [folder("none.txt")]
    #expect(throws: (any Error).self) { try StepJob(model, request) }
    (request.labels, request.top) = ([], 0)
    #expect(refusal(model, request) == "--top 0: there is one label at least")
  }

  @Test func requestsThatDoNotGoWithTheModelAreRefused() throws {
    let model = try Self.sums()
    #expect(refusal(model, StepRequest(inputs: ["y=" + folder("x.npy")])).contains("no input is called 'y'"))
    #expect(
      refusal(model, StepRequest(inputs: ["x=" + folder("x.npy")])).hasSuffix(
        "; --input scale=FILE gives it"))
    #expect(refusal(model, request { $0.inputs.append("x=" + folder("x.npy")) }).contains("is given twice"))
    #expect(
      refusal(model, request { $0.outputs = [folder("x.npy")] }).contains("name an .npz for all of them"))
    #expect(
      refusal(model, request { $0.outputs = ["total=" + folder("x.npy")] }).hasSuffix(
        "is what the result is made of; name another file"))
    #expect(refusal(model, request { $0.steps = 4 }).contains("is given 3 steps, where 4 steps should be"))
    #expect(refusal(model, request { $0.steps = 0 }).contains("there is one at least"))
    #expect(refusal(model, request { $0.top = 1 }).contains("--top names what the model has labels for"))
    #expect(refusal(model, request { $0.labels = ["l.txt"] }).hasPrefix("--labels goes with --top"))
    #expect(refusal(model, request { $0.tolerance = .nan }).hasPrefix("--tolerance is a number from 0 on"))
    #expect(refusal(model, request { $0.images = ["z": .imageNet] }).contains("no input is called 'z'"))
    #expect(refusal(model, request { $0.images = ["x": .imageNet] }).contains("--image says how a picture"))
    let stream = try Model(
      #"{ "legato": 1, "name": "Gain", "inputs": { "src": { "shape": [1, "frames"] } }, "graph": { "dst": "src * 2" }, "outputs": ["dst"] }"#
    )
    #expect(refusal(stream, StepRequest()).contains("works on frames of a stream"))
    let open = try Model(
      #"{ "legato": 1, "name": "Open", "clock": "step", "inputs": {}, "graph": { "y": "1 + delay(y, 1)" }, "outputs": ["y"] }"#
    )
    #expect(try StepJob(open, StepRequest()).run().outputs["y"]?.values == [1])
    try folder.make("damaged.npy", "no array")
    #expect(
      refusal(model, StepRequest(inputs: ["x=" + folder("damaged.npy")])).hasPrefix(folder("damaged.npy")))
  }
}
