// SPDX-License-Identifier: Apache-2.0

import Legato
import RealtimeCore

/// Programs that no compiler made: one row in, one row out, one parameter.
enum HandMadeProgram {
  static func make(
    inputs: Int = 1, executesStream: Bool = true, _ name: String = "hand-made", entry: EntryPoint
  ) throws -> Program {
    let port = ProgramLayout.Port(name: "x", shape: [], rows: 1, rowLength: executesStream ? nil : 4)
    let gain = ProgramLayout.ParameterRange(
      name: "gain", minimum: 0, maximum: 1, initial: 1, unit: "", rampFrames: 10)
    let layout = ProgramLayout(
      inputs: [ProgramLayout.Port](repeating: port, count: inputs), outputs: [port], parameters: [gain],
      executesStream: executesStream, latency: 0, workspaceSize: 128, positionOffset: 0, blockStaleOffset: 8,
      settledStaleOffset: 12, rampSpanOffset: 16, rampsOffset: 32, stateRange: 64..<128)
    return unsafe try Program(name: name, layout: layout, entry: entry)
  }

  /// Programs that do nothing, which between them fit every door.
  static var forEveryDoor: [Program] {
    [(1, true), (0, true), (1, false)].compactMap { inputs, isStream in
      unsafe try? make(inputs: inputs, executesStream: isStream, entry: { _, _, _, _, _ in })
    }
  }
}
