// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import Legato
import ReferenceInterpreter
import TestEquipment
import Testing

/// A graph and a stimulus that the laws are checked with.
struct LawCase {
  /// The label that reproduces the case.
  let label: String
  let graph: Graph
  let stimulus: Stimulus

  init(label: String, graph: Graph, stimulus: Stimulus) {
    self.label = label
    self.graph = graph
    self.stimulus = stimulus
  }

  /// Whether a seed's stimulus has numbers that no sound has.
  static func isWild(_ seed: UInt64) -> Bool { seed.isMultiple(of: 4) }

  init(label: String, graph: Graph, seed: UInt64) {
    var random = SplitMix(seed: seed &* 31 &+ 7)
    let stimulus = Stimulus.random(for: graph, &random, isWild: Self.isWild(seed))
    self.init(label: label, graph: graph, stimulus: stimulus)
  }

  init(seed: UInt64) throws {
    self.init(label: "seed \(seed)", graph: try GraphGenerator.graph(seed), seed: seed)
  }

  /// Reports that a law is broken, with all that is needed to see it again.
  func report(_ law: String, _ message: String) {
    Issue.record("\(label): \(law): \(message)\n\(graph)changes \(stimulus.changes)")
  }

  /// Reports the first bit in which outputs differ. All not-a-numbers are one: which of its operands' bits a sum
  /// hands on is up to the machine.
  ///
  /// - Parameter flushed: whether a denormal is the same as a zero of its sign. LLVM leaves out a multiplication by 1
  ///   where it sees one, and with it the rounding of an input's denormal to zero; nothing that computes can tell.
  func expectSame(
    _ outputs: [[Float]], as right: [[Float]], flushed: Bool = false, _ law: String
  ) {
    for (row, (these, those)) in zip(outputs, right).enumerated() where !these.hasBits(of: those) {
      for position in those.indices {
        let a = flushed ? these[position].flushed : these[position]
        let b = flushed ? those[position].flushed : those[position]
        if a.bitPattern == b.bitPattern || (a.isNaN && b.isNaN) { continue }
        return report(law, "row \(row), number \(position) is \(a) instead of \(b)")
      }
    }
  }

  /// Reports the first number that the reference interpreter does not allow.
  func expectInside(_ outputs: [[Float]], _ result: ReferenceInterpreter.Result, _ law: String) {
    for (row, (these, estimates)) in zip(outputs, result.outputs).enumerated() {
      for position in estimates.indices where !estimates[position].contains(these[position]) {
        return report(
          law, "row \(row), number \(position) is \(these[position]); right is \(estimates[position])")
      }
    }
  }
}

extension [Float] {
  /// Whether the numbers have the same bits: one look at the memory, which is quick in a debug build, too.
  fileprivate func hasBits(of other: [Float]) -> Bool {
    guard count == other.count else { return false }
    return unsafe withUnsafeBytes { these in
      unsafe other.withUnsafeBytes { those in
        unsafe these.isEmpty || memcmp(these.baseAddress!, those.baseAddress!, these.count) == 0
      }
    }
  }
}

extension Float {
  /// The number, or a zero with its sign in place of a denormal.
  var flushed: Float { magnitude < .leastNormalMagnitude ? self * 0 : self }
}
