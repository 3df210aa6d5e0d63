// SPDX-License-Identifier: Apache-2.0

import GraphGradients
import GraphIR
import ReferenceInterpreter
import TestEquipment
import Testing

/// A batch computes for each example what the graph does for one.
@Suite struct BatchedTests {
  /// Lines over x [3, 4], v [4] and i [2]; w [5, 4] is the same for all.
  static let steps = [
    "dst = tanh(x) * v + 0.5", "dst = dense(x, w)", "dst = reshape(transpose(x, [1, 0]), [2, 6])",
    "dst = concatenate([x, x * v, w], axis: 0)", "dst = slice(x, axis: 1, start: 1, count: 2)",
    "dst = gather(x, 3 * i, axis: 0)", "dst = gather(w, 5 * i, axis: 1)", "dst = gather(w, 5 * i, axis: 0)",
    "dst = gather(x, 4 * i, axis: 1)", "dst = sum(x, axis: 0) + maximum(x * v, axis: 0)",
    "dst = contraction(x, w)", "dst = contraction(reshape(x, [3, 1, 4]), w)", "dst = softmax(x, axis: 0)",
    "dst = x + delay(v, 1)", "dst = windows(x, axis: 1, size: 2)", "dst = shifted(x, axis: 0, by: 1)",
    "h = tanh(x + v + 0.5 * shifted(h, axis: 0, by: 1))\ndst = h * x",
    "h = tanh(x + dense(shifted(h, axis: 0, by: -1), slice(w, axis: 0, start: 0, count: 4)))\ndst = h",
    "h = x + 0.5 * shifted(h, axis: 0, by: 1) * reshape(sum(w, axis: 1), [5, 1, 1])\ndst = sum(h, axis: 0)",
    "dst = conv1d(transpose(x, [1, 0]), reshape(w, [5, 4, 1]), axis: 1)", "dst = w",
  ]

  @Test(arguments: steps)
  func computesForEachExample(lines: String) throws {
    let text = """
      graph "x" step 48000
      input x [3, 4]
      input v [4]
      input i [2]
      input w [5, 4]
      \(lines)
      output dst = dst
      """
    let graph = try Graph(parsing: text)
    let count = 3
    let batched = try graph.batched(by: count, sharing: ["w"])
    #expect(Verifier.violations(in: batched).isEmpty)
    var random = SplitMix(seed: 9)
    func numbers(_ count: Int) -> [Float] { (0..<count).map { _ in random.float(-0.1, 1) } }
    let steps = 2
    let (xs, vs, indices) = (
      numbers(12 * count * steps), numbers(4 * count * steps), numbers(2 * count * steps)
    )
    let w = numbers(20)
    let every = [w, w].flatMap { $0 }
    let all = ReferenceInterpreter(batched).run(inputs: [xs, vs, indices, every], frames: steps).outputs[0]
    let each = all.count / steps / count
    for example in 0..<count {
      func own(_ numbers: [Float], _ size: Int) -> [Float] {
        (0..<steps).flatMap { step in
          let start = (step * count + example) * size
          return numbers[start..<start + size]
        }
      }
      let inputs = [own(xs, 12), own(vs, 4), own(indices, 2), every]
      let single = ReferenceInterpreter(graph).run(inputs: inputs, frames: steps).outputs[0]
      for step in 0..<steps {
        let made = all[(step * count + example) * each..<(step * count + example + 1) * each].map(\.value)
        let wanted = single[step * each..<(step + 1) * each].map(\.value)
        #expect(zip(made, wanted).allSatisfy { abs($0 - $1) <= 1e-12 }, "example \(example), step \(step)")
      }
    }
  }

  @Test func weightsOfAnExampleAreRefused() throws {
    let graph = try Graph(
      parsing: "graph \"x\" step 48000\ninput x [3, 4]\ninput w [5, 4]\ny = dense(x, w)\noutput y = y")
    #expect(throws: TypingError("the weights of dense depend on what there is several of")) {
      try graph.batched(by: 2)
    }
  }
}
