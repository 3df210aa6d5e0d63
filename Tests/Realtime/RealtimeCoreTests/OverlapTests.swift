// SPDX-License-Identifier: Apache-2.0

#if DEBUG
  import RealtimeCore
  import TestEquipment
  import Testing

  /// Checks that stand in debug builds only.
  @Suite("Overlapping memory")
  struct OverlapTests {
    /// Executes 8 frames with rows at these samples of one piece of memory.
    private static func execute(inputs: [Int], outputs: [Int]) throws {
      var context = try Context(GainProgram.make())
      var samples = [Float](repeating: 0, count: 64)
      unsafe samples.withUnsafeMutableBufferPointer { samples in
        let base = samples.baseAddress!
        let sources: [UnsafePointer<Float>?] = unsafe inputs.map { unsafe UnsafePointer(base + $0) }
        let destinations: [UnsafeMutablePointer<Float>?] = unsafe outputs.map { unsafe base + $0 }
        unsafe context.execute(frames: 8, inputs: sources, outputs: destinations)
      }
    }

    @Test(
      "Rows apart, rows in place and inputs that share memory are legal",
      arguments: [
        ([0, 8], [16, 24]), ([0, 8], [0, 8]), ([0, 8], [16, 8]), ([0, 0], [8, 16]), ([0, 4], [12, 20]),
      ])
    func legal(inputs: [Int], outputs: [Int]) throws {
      try Self.execute(inputs: inputs, outputs: outputs)
    }

    @Test("An output on another input's row is refused", .endsProcesses)
    func swapped() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OverlapTests.execute(inputs: [0, 8], outputs: [8, 0])
      }
      #expect(result?.says("an output overlaps other memory") == true)
    }

    @Test("An output that overlaps its own input by half is refused", .endsProcesses)
    func shifted() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OverlapTests.execute(inputs: [0, 32], outputs: [4, 32])
      }
      #expect(result?.says("an output overlaps other memory") == true)
    }

    @Test("Two outputs in one place are refused", .endsProcesses)
    func twoOutputs() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        try OverlapTests.execute(inputs: [0, 8], outputs: [16, 16])
      }
      #expect(result?.says("an output overlaps other memory") == true)
    }

    @Test("A missing row is refused", .endsProcesses)
    func missing() async {
      let result = await #expect(processExitsWith: .failure, observing: [\.standardErrorContent]) {
        var context = try Context(GainProgram.make())
        unsafe context.execute(frames: 1, inputs: nil, outputs: nil)
      }
      #expect(result?.says("a row of an input or output has no place") == true)
    }
  }
#endif
