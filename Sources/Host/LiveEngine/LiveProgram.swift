// SPDX-License-Identifier: Apache-2.0

package import RealtimeCore

/// A program on a device: its contexts side by side, and the device's channels that they read and play on.
///
///     captured              0 1 2 3      inputs: [2, 3]               context 0 reads channel 2, context 1 channel 3
///     contexts                  0 1
///     played                0 1 2 3      outputs: [nil, 0, 1, nil]    their rows go to channels 1 and 2
///
/// It belongs to the control side, which turns its parameters and frees it. To be played it is handed to a
/// `LiveProcessor`, which holds on to it as long as the audio thread can touch it.
@safe package final class LiveProgram: @unchecked Sendable {
  package let program: Program
  /// The parameters that a user turns, in the model's order; each turns all contexts.
  package let parameters: [LiveParameter]
  /// The part of it that the audio thread uses.
  let wiring: UnsafeMutablePointer<LiveWiring>

  /// Makes contexts, and reserves all that playing them takes.
  ///
  /// - Parameters:
  ///   - contexts: how many run side by side.
  ///   - inputs: the device's channel that each input row reads, context 0's rows first.
  ///   - outputs: for each channel of the device the output row that it plays, context 0's rows first, or nil for
  ///     silence. Rows that no channel plays go nowhere.
  ///   - block: the most frames that are executed at a time; more than that is cut.
  ///   - bypass: the parameter that at 1 lets each input row through to the output row of the same number,
  ///     delayed by the program's latency, with all its bits; nil where there is none. While it is there
  ///     nothing is executed.
  package init(
    _ program: Program, contexts: Int, inputs: [Int], outputs: [Int?], block: Int, bypass: String? = nil
  ) throws(ContextError) {
    let inputRows = program.layout.inputs.reduce(0) { $0 + $1.rows }
    let outputRows = program.layout.outputs.reduce(0) { $0 + $1.rows }
    precondition(program.layout.executesStream, "only a program of a stream can be played")
    precondition(contexts > 0 && block > 0, "what plays has contexts and frames")
    precondition(inputs.count == inputRows * contexts, "each row of each context reads a channel")
    precondition(inputs.allSatisfy { $0 >= 0 }, "a row reads a channel that the device has")
    precondition(
      outputs.allSatisfy { $0.map { (0..<outputRows * contexts).contains($0) } ?? true },
      "a channel plays a row that the program has")
    let control = bypass.flatMap { name in program.layout.parameters.firstIndex { $0.name == name } }
    precondition(bypass == nil || control != nil, "a program has the bypass that it is said to have")
    precondition(control == nil || inputRows == outputRows, "a bypass leads each input row to an output row")
    self.program = program
    let driver = try ContextDriver(program, contexts: contexts, frames: block)
    let made = unsafe try LiveWiring(
      driver, inputs: inputs, outputs: outputs, block: block, bypass: control)
    unsafe wiring = .allocate(capacity: 1)
    unsafe wiring.initialize(to: made)
    var handles: [[Parameter]] = []
    for index in 0..<contexts { unsafe handles.append(wiring.pointee.contexts[index].parameters) }
    parameters = program.layout.parameters.indices.map { index in LiveParameter(handles.map { $0[index] }) }
    unsafe wiring.pointee.owner = .passUnretained(self)
  }

  deinit {
    unsafe wiring.deinitialize(count: 1)
    unsafe wiring.deallocate()
  }

  /// Channels of the device that it plays on.
  package var channels: Int { unsafe wiring.pointee.channelCount }
}

/// Ownership that passes the audio thread, which counts no references, as an address.
extension LiveProgram {
  /// The wiring, which holds on to the program until it is released.
  func retained() -> UnsafeMutablePointer<LiveWiring> {
    unsafe _ = Unmanaged.passRetained(self)
    return unsafe wiring
  }

  /// The program that a wiring held on to, and does no longer.
  static func released(_ address: UnsafeMutableRawPointer?) -> LiveProgram? {
    unsafe address?.assumingMemoryBound(to: LiveWiring.self).pointee.owner?.takeRetainedValue()
  }
}
