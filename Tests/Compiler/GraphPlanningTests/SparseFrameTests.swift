// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Testing

/// What is computed for some frames only.
@Suite struct SparseFrameTests {
  private func graph(_ lines: String) throws -> Graph {
    try Graph(
      parsing: """
        graph "x" stream 48000
        input x [2, frames]
        weights "m" [2, 2] = [0.5, -0.25, 0.125, 0.5]
        weights "k" [2, 2, 3] = [0.1, 0.2, -0.3, 0.4, 0.5, -0.6, 0.7, 0.1, 0.2, -0.3, 0.4, 0.5]
        c = delay(select(c + 1 < 8, c + 1, 0), frames: 1)
        \(lines.replacing("'", with: "\""))
        output y = y
        """)
  }

  private func kernels(_ lines: String, isSparse: Bool = true) throws -> [Kernel] {
    let pipeline = Pipeline(disabled: isSparse ? [] : [Pipeline.sparseFrames])
    let target = try #require(Target.x86(level: "x86-64-v3"))
    return pipeline.lower(pipeline.run(try graph(lines)).graph, for: target).kernels.kernels
  }

  /// The titles of the kernels that leave frames out.
  private func titles(_ lines: String, isSparse: Bool = true) throws -> [String] {
    try kernels(lines, isSparse: isSparse).compactMap { kernel in
      if case .cycle(let cycle) = kernel, cycle.condition != nil { cycle.title } else { nil }
    }
  }

  @Test func oneFrameOfSeveral() throws {
    let lines = "z = tanh(dense(x * x, 'm'))\ny = select(c == 3, z, delay(y, frames: 1))"
    #expect(try titles(lines) == ["every 8 frames, at 3, column by column"])
    #expect(try titles(lines, isSparse: false).isEmpty)
    // What adds nothing up is as fast at all frames.
    #expect(try titles("y = select(c == 3, tanh(x), delay(y, frames: 1))").isEmpty)
  }

  @Test func whatARecurrenceRemembersIsOfItsOwnFrames() throws {
    func recurrence(_ frames: Int) -> String {
      "z = tanh(x + dense(delay(z, frames: \(frames)), 'm'))\ny = select(c < 1, z, 0)"
    }
    #expect(try titles(recurrence(16)) == ["every 8 frames, at 0, column by column"])
    // Here it is of frames in between, of which each fourth one is read.
    #expect(try titles(recurrence(12)) == ["every 4 frames, at 0, column by column"])
    #expect(try titles(recurrence(1)).isEmpty)
  }

  @Test func convolutionsGoWithWhatTheyRead() throws {
    func convolution(_ dilation: Int) -> String {
      "z = conv1d(dense(x, 'm'), 'k', dilation: \(dilation))\ny = select(c == 5, dense(z, 'm'), 0)"
    }
    #expect(try titles(convolution(8)) == ["every 8 frames, at 5, column by column"])
    #expect(try titles(convolution(1)) == ["every 8 frames, at 5, column by column"])
    func computed(_ lines: String) throws -> Int {
      try kernels(lines).filter { if case .cycle(let cycle) = $0 { cycle.condition != nil } else { false } }
        .flatMap(\.nodes).count
    }
    #expect(try computed(convolution(8)) > computed(convolution(1)))
  }

  @Test func whatIsReadAtAllFramesIsComputedAtAllOfThem() throws {
    #expect(try titles("z = dense(x, 'm')\ny = select(c == 3, z, 0) + z").isEmpty)
    #expect(try titles("z = dense(x, 'm')\ny = select(c < 3, z, 0)").isEmpty)
    // What goes around by itself and counts no frames has no part in it.
    let others =
      "d = delay(select(d == 0, 2, select(d == 2, 5, 0)), frames: 1)\ny = select(d == 5, dense(x, 'm'), 0)"
    #expect(
      try titles("\(others) + select(c == 3, dense(abs(x), 'm'), 0)") == [
        "every 8 frames, at 3, column by column"
      ])
    // What counts is begun anew by what comes in.
    let begun = "d = delay(select(maximum(x) > 0, 0, select(d + 1 < 8, d + 1, 0)), frames: 1)"
    #expect(try titles("\(begun)\nz = dense(x, 'm')\ny = select(d == 3, z, 0)").isEmpty)
  }
}
