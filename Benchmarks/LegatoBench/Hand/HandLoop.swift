// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// A feedback loop written by hand, with its state and its output rows.
@safe final class HandLoop {
  let name: String
  let outputs: Rows
  private let function: hand_loop_function
  private let state: UnsafeMutablePointer<hand_loop_state>
  private let ring: UnsafeMutablePointer<Float>
  /// The states of filters, and their settings.
  private let numbers: Rows
  private let inputs: [UnsafePointer<Float>]
  private let results: [UnsafeMutablePointer<Float>]

  static let frames = Int(HAND_LOOP_FRAMES)

  /// All ways that are written for so many channels, over the same rows.
  ///
  /// - Parameter settings: What the kind is set to: rows of `HAND_LOOP_CHANNELS` numbers, taps, or ramps.
  static func all(
    _ kind: hand_loop_kind, inputs: [UnsafePointer<Float>], settings: [Float] = []
  ) -> [HandLoop] {
    let list = unsafe hand_loops(kind)
    let fitting = unsafe (0..<list.count).filter {
      unsafe [0, inputs.count].contains(list.first![$0].channels)
    }
    return fitting.map { unsafe HandLoop(list.first![$0], inputs, settings) }
  }

  private init(_ loop: hand_loop, _ inputs: [UnsafePointer<Float>], _ settings: [Float]) {
    unsafe name = String(cString: loop.name)
    unsafe function = loop.run
    unsafe self.inputs = inputs
    let outputs = Rows([Int](repeating: Self.frames, count: unsafe inputs.count))
    self.outputs = outputs
    unsafe results = inputs.indices.map { unsafe outputs[$0] }
    let floats = unsafe Int(HAND_RING) * inputs.count
    unsafe ring = .allocate(capacity: floats)
    unsafe ring.initialize(repeating: 0, count: floats)
    let memory = unsafe UnsafeMutableRawPointer.allocate(
      byteCount: MemoryLayout<hand_loop_state>.size, alignment: MemoryLayout<hand_loop_state>.alignment)
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0, count: MemoryLayout<hand_loop_state>.size)
    unsafe state = unsafe memory.bindMemory(to: hand_loop_state.self, capacity: 1)
    unsafe state.pointee.ring = ring
    numbers = Rows([Int(HAND_HELD * HAND_LOOP_CHANNELS), settings.count])
    for (index, setting) in settings.enumerated() { unsafe numbers[1][index] = setting }
    unsafe state.pointee.held = numbers[0]
    unsafe state.pointee.settings = UnsafePointer(numbers[1])
  }

  deinit {
    unsafe state.deallocate()
    unsafe ring.deallocate()
  }

  /// One block after the other.
  func run(_ times: Int) {
    unsafe inputs.withUnsafeBufferPointer { inputs in
      unsafe results.withUnsafeBufferPointer { results in
        for _ in 0..<times { unsafe function(state, inputs.baseAddress!, results.baseAddress!, inputs.count) }
      }
    }
  }
}
