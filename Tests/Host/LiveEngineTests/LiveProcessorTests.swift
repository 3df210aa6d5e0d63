// SPDX-License-Identifier: Apache-2.0

import Legato
import LiveEngine
import LiveEquipment
import RealtimeCore
import Testing

/// A program that plays gives what its contexts give, on the channels that were chosen.
struct LiveProcessorTests {
  private static let frames = 1000
  private static let inputs = (0..<3).map { LiveModels.noise(frames, seed: UInt64($0 + 1)) }

  /// A mono program with state on two channels of three, played on three of five.
  @Test(arguments: [[64], [1, 7, 300, 0, 64], [1000]])
  func playsOnChosenChannels(blocks: [Int]) throws {
    let program = try LiveModels.program(["y": "0.5 * x + 0.5 * delay(y, 100)"])
    let live = try LiveProgram(
      program, contexts: 2, inputs: [2, 0], outputs: [nil, 1, 0, nil, 1], block: 128)
    var processor = LiveProcessor(live)
    let device = DeviceRows(inputs: Self.inputs, outputs: 5)
    var turn = 0
    while device.left > 0 {
      device.process(min(device.left, blocks[turn % blocks.count]), &processor)
      turn += 1
    }
    let (first, second) = (try rendered(program, Self.inputs[2]), try rendered(program, Self.inputs[0]))
    #expect(device[1] == second && device[2] == first && device[4] == second)
    #expect(device[0].allSatisfy { $0 == 0 } && device[3].allSatisfy { $0 == 0 })
    #expect(processor.position == Int64(Self.frames))
  }

  /// A parameter turns all contexts that stand side by side.
  @Test func parametersTurnAllContexts() throws {
    let program = try LiveModels.program(
      ["y": "x * gain"], parameters: ["gain": "{ \"default\": 1, \"minimum\": 0, \"maximum\": 2 }"])
    let live = try LiveProgram(program, contexts: 2, inputs: [0, 1], outputs: [0, 1], block: 64)
    live.parameters[0].set(2)
    #expect(live.parameters[0].value == 2)
    var processor = LiveProcessor(live)
    let device = DeviceRows(inputs: Array(Self.inputs.prefix(2)), outputs: 2)
    device.process(device.left, &processor)
    for channel in 0..<2 { #expect(device[channel] == Self.inputs[channel].map { $0 * 2 }) }
  }
}
