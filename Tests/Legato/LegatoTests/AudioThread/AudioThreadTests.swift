// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphIR
import GraphPlanning
import Legato
import NativeCode
import RealtimeCore
import RealtimeWatch
import TestEquipment
import Testing

/// Executing, resetting and setting parameters take nothing from the heap, no lock, and never enter the kernel.
///
/// Where the RealtimeSanitizer is linked, it is asked as well: it ends the process with a report.
@Suite(.enabled(if: Sanitizer.isAbsent)) struct AudioThreadTests {
  @Test(arguments: Function.all.map(\.name), [Clock.stream, .step])
  func everyFunction(name: String, clock: Clock) throws {
    for graph in FunctionExamples.graphs(of: name, clock) { try expectNoOffence(graph) }
  }

  @Test(arguments: [Clock.stream, .step]) func thatIsEveryOp(clock: Clock) {
    let graphs = FunctionExamples.expressions.keys.flatMap { FunctionExamples.graphs(of: $0, clock) }
    let met = Set(graphs.flatMap { $0.nodes.map { OpKind($0.op) } })
    switch clock {
    case .stream: #expect(OpKind.all.subtracting(met).isEmpty)
    case .step: #expect(OpKind.all.subtracting(met) == OpKind.ofStreams)
    }
  }

  @Test(arguments: UInt64(1)...60) func randomGraph(seed: UInt64) throws {
    try expectNoOffence(GraphGenerator.graph(seed))
  }

  @Test(arguments: [1, 64, 130, 5000], ["stream", "step"]) func cycle(delay: Int, clock: String) throws {
    try expectNoOffence(
      Graph(
        parsing: """
          graph "Echo" \(clock) 48000
          input x [2\(clock == "stream" ? ", frames" : "")]
          parameter gain [] = 0.5 minimum 0 maximum 0.9 ramp 100 scale linear
          y = x + tanh(delay(y, \(delay)) * gain)
          output y = y
          """))
  }

  /// With one and with two of each symbolic extent in turn: where one target has one, its neighbours have two.
  @Test(arguments: zip(ShippedModelTests.names.indices, ShippedModelTests.names))
  func shippedModel(turn: Int, name: String) throws {
    for (place, target) in (["host"] + Target.runnableLevels).enumerated() {
      let graph = try ShippedModelTests().graph(name, extent: 1 + (place + turn) % 2)
      try expectNoOffence(graph, target: .named(target))
    }
  }

  private func expectNoOffence(_ graph: Graph, target: Target? = nil) throws {
    let offences = try AudioThread.offences(of: NativeRun(graph, target: target).program)
    #expect(offences == [], "\(graph)")
  }
}

/// The same watch over programs that break the rules.
@Suite(.enabled(if: Sanitizer.isAbsent)) struct MisdeedTests {
  @Test(
    .enabled(if: !RealtimeWatch.hasSanitizer, "the sanitizer would end the process"),
    arguments: Misdeed.allCases.filter { !$0.entersTheKernel })
  func isCaught(misdeed: Misdeed) throws { try expectCaught(misdeed) }

  @Test(
    .enabled(if: !RealtimeWatch.hasSanitizer, "the sanitizer would end the process"),
    .enabled(if: RealtimeWatch.seesSystemCalls, "this kernel cannot hand system calls to their thread"),
    arguments: Misdeed.allCases.filter(\.entersTheKernel))
  func systemCallIsCaught(misdeed: Misdeed) throws { try expectCaught(misdeed) }

  private func expectCaught(_ misdeed: Misdeed) throws {
    let offences = try AudioThread.offences(of: misdeed.program())
    for act in AudioThread.Act.allCases {
      #expect(offences.contains { $0.hasPrefix("\(act)") && $0.contains(misdeed.phrase) }, "\(offences)")
    }
  }

  @Test(.enabled(if: RealtimeWatch.hasSanitizer, "the RealtimeSanitizer is not linked"), .endsProcesses)
  func theSanitizerEndsTheProcess() async {
    let result = await #expect(processExitsWith: .exitCode(43), observing: [\.standardErrorContent]) {
      _ = try AudioThread.offences(of: Misdeed.allocatesInC.program())
    }
    let report = String(decoding: result?.standardErrorContent ?? [], as: UTF8.self)
    #expect(
      report.contains("RealtimeSanitizer: unsafe-library-call") && report.contains("`malloc`"), "\(report)")
  }
}
