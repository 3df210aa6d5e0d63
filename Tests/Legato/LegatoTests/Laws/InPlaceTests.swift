// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPlanning
import NativeCode
import Testing

@Suite struct InPlaceTests {
  /// One kernel is all it takes: no copy of the input in front of it, whatever the number of rows.
  @Test(arguments: [1, 2, 3])
  func elementwiseGraphsNeedNoCopyToRunInPlace(channels: Int) throws {
    let graph = try Graph(
      parsing: """
        graph "Gain" stream 48000
        input src [\(channels), frames]
        parameter gain [frames] = 2 minimum 0.1 maximum 20 ramp 960 scale linear
        dst = tanh(src * gain) + src
        output dst = dst
        """)
    let compiled = try CompiledGraph(graph, options: CompileOptions(target: try .host()))
    #expect(compiled.plan.kernelGraph.kernels.count == 1)
  }
}
