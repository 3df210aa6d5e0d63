// SPDX-License-Identifier: Apache-2.0

internal import GraphGradients
package import GraphIR
internal import ReferenceInterpreter
internal import TestEquipment

/// A gradient beside differences of the loss itself, both in double precision.
///
/// Along a direction v the loss changes by `gradient · v`. A central difference tells the same up to the square of its
/// step; two of them, of a step and of half of it, up to the fourth power (Richardson). Where these two disagree there is
/// a kink or a jump between, and nothing is compared.
package struct GradientCheck {
  /// The graph, whose output `loss` is one number.
  package let graph: Graph
  /// The same with the gradient of each input.
  package let gradient: Graph
  /// How many directions were compared, and how many were not.
  package private(set) var compared = 0
  package private(set) var skipped = 0
  /// The largest difference, in relation to the sum of the sizes of all products of gradient and direction.
  package private(set) var worst = 0.0

  private var random: SplitMix
  /// Where the numbers of each input lie.
  private let ranges: [ClosedRange<Double>]

  /// - Parameters:
  ///   - graph: a graph of steps; its loss is the sum of its outputs' numbers, times numbers by chance.
  ///   - ranges: Where the numbers of some inputs lie; those of others lie in -1…1.
  package init(_ graph: Graph, seed: UInt64, ranges: [String: ClosedRange<Double>] = [:]) throws(TypingError)
  {
    random = SplitMix(seed: seed)
    self.graph = try graph.withRandomLoss(&random)
    self.ranges = self.graph.inputs.map { ranges[$0.name] ?? -1...1 }
    gradient = try self.graph.withGradient(of: "loss", withRespectTo: self.graph.inputs.map(\.name))
  }

  /// Compares along some directions, each at inputs of its own.
  package mutating func compare(directions: Int) {
    for _ in 0..<directions { compare() }
  }

  private mutating func compare() {
    let step: Float = 0x1p-10
    // Numbers with bits to spare, so that steps from them are exact.
    let units = ranges.map { Float($0.upperBound - $0.lowerBound).binade / 2 }
    let inputs = zip(graph.inputs, zip(ranges, units)).map { port, place in
      let (range, unit) = place
      return (0..<port.type.shape.count).map { _ in
        (random.float(range.lowerBound, range.upperBound) / unit * 4096).rounded() / 4096 * unit
      }
    }
    let direction = zip(inputs, units).map { numbers, unit in
      numbers.map { _ in Float(random.below(3) - 1) * unit }
    }
    let interpreter = ReferenceInterpreter(graph)
    let loss = graph.outputs.firstIndex { $0.name == "loss" }!
    func lossMoved(by distance: Float) -> Double {
      let moved = zip(inputs, direction).map { zip($0, $1).map { $0 + distance * $1 } }
      return interpreter.run(inputs: moved, frames: 1).outputs[loss][0].value
    }
    func difference(_ step: Float) -> Double {
      (lossMoved(by: step) - lossMoved(by: -step)) / Double(2 * step)
    }
    let (coarse, middle, fine) = (difference(step), difference(step / 2), difference(step / 4))
    let (first, second) = ((4 * middle - coarse) / 3, (4 * fine - middle) / 3)
    let result = ReferenceInterpreter(gradient).run(inputs: inputs, frames: 1)
    var (sum, size) = (0.0, 0.0)
    for (port, numbers) in zip(graph.inputs, direction) {
      let row = gradient.outputs.firstIndex { $0.name == Graph.gradientName(of: port.name) }!
      for (estimate, number) in zip(result.outputs[row], numbers) {
        sum += estimate.value * Double(number)
        size += abs(estimate.value * Double(number))
      }
    }
    size = max(size, abs(second), 1e-3)
    guard abs(first - second) <= 1e-7 * size, second.isFinite else {
      skipped += 1
      return
    }
    compared += 1
    worst = max(worst, abs(sum - second) / size)
    if sum.isNaN { worst = .infinity }
  }
}

extension Graph {
  /// The graph with an output `loss`: the sum of all outputs' numbers, each times a number by chance.
  fileprivate func withRandomLoss(_ random: inout SplitMix) throws(TypingError) -> Graph {
    var assembler = GraphAssembler(continuing: canonical())
    var loss = assembler.literal(0)
    for (row, output) in canonical().outputs.enumerated() {
      let count = assembler.shape(of: output.value)!.count
      let factors = (0..<count).map { _ in random.float(0.5, 1.5) * (random.chance() ? 1 : -1) }
      let weights = assembler.weights(
        Weights(name: "loss weights \(row)", shape: [count], values: Numbers(factors)))
      let flat = try assembler.apply(.reshape([count]), output.value)
      let sum = try assembler.apply(.sum(axis: 0), assembler.apply(.binary(.multiply), flat, weights))
      loss = try assembler.apply(.binary(.add), loss, sum)
    }
    assembler.output("loss", loss)
    return assembler.finished()
  }
}
