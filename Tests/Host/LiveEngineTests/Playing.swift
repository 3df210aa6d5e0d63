// SPDX-License-Identifier: Apache-2.0

import LiveEngine
import RealtimeCore

/// A program that plays one mono input on one channel, and others that take its place.
@safe final class Playing {
  /// Sizes of blocks that take turns: even, uneven, and larger than a program executes at once.
  static let blockSizes = [[64], [128, 1, 441, 30], [1024]]

  let mailbox = ProgramMailbox(channels: 1)
  private(set) var live: LiveProgram
  private var processor: LiveProcessor
  private let device: DeviceRows
  private let blocks: [Int]
  private var turn = 0

  init(_ program: Program, _ input: [Float], blocks: [Int] = [64]) throws {
    live = try Self.live(program)
    processor = LiveProcessor(live, from: mailbox, rate: 48_000)
    device = DeviceRows(inputs: [input], outputs: 1)
    self.blocks = blocks
  }

  static func live(_ program: Program, contexts: Int = 1) throws -> LiveProgram {
    let bypass = program.layout.parameters.first { $0.name == "bypass" }?.name
    return try LiveProgram(
      program, contexts: contexts, inputs: [Int](repeating: 0, count: contexts), outputs: [0], block: 256,
      bypass: bypass)
  }

  /// The sound that was played so far.
  var output: [Float] { device[0] }
  var position: Int { device.position }
  var isSwapping: Bool { processor.isSwapping }
  /// Frames that the program has executed since it began.
  var executed: Int64 { processor.position }

  /// How often the program began anew because samples that are not finite went on coming.
  var renewals: Int { processor.renewals }

  /// Samples that asked for delays outside of their ranges.
  var samplesOutside: Int { processor.samplesOutside }

  func set(_ name: String, to value: Float) { live.parameters.first { $0.name == name }?.set(value) }

  /// Plays blocks until so many frames were played in all, or all there are.
  func play(to frame: Int = .max) {
    let end = min(frame, position + device.left)
    while position < end {
      device.process(min(end - position, blocks[turn % blocks.count]), &processor)
      turn += 1
    }
  }

  /// Lets another program take the place from the next block on, with the parameters where they stand.
  ///
  /// - Parameter contexts: of the other one, all of which read the channel; the first is heard.
  func post(_ program: Program, contexts: Int = 1) throws {
    let edited = try Self.live(program, contexts: contexts)
    var values = TurnedValues()
    values.note(live)
    values.turn(edited)
    mailbox.post(edited)
    live = edited
  }

  /// Plays until the swap is over, and tells where that was.
  @discardableResult func finishSwap() -> Int {
    repeat { play(to: position + 1) } while isSwapping && device.left > 0
    mailbox.collect()
    return position
  }
}

/// The bits of samples, which tell +0 from -0 and are equal for not-a-numbers.
func bits(_ samples: some Sequence<Float>) -> [UInt32] { samples.map(\.bitPattern) }
