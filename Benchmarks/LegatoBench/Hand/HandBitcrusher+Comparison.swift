// SPDX-License-Identifier: Apache-2.0

internal import CRealtime
internal import RealtimeCore

/// Whether the kernels by hand are what they are said to be.
extension HandBitcrusher {
  /// The ramps of parameters that glide all the way.
  static func ramps(from low: Settings, to high: Settings, over frames: Int) -> [RampState] {
    zip(low, high).map { low, high in RampState(from: low, to: high, over: Int32(frames)) }
  }

  /// Compares a settled block, and one in which all parameters begin to move, sample by sample.
  ///
  /// - Throws: `BenchError` where a bit is another one.
  static func compare(
    _ hands: [HandBitcrusher], with instrument: Instrument, from low: Settings, to high: Settings, ramp: Int,
    _ name: String
  ) throws {
    let ramps = ramps(from: low, to: high, over: ramp)
    let differing = hands.reduce(0) { $0 + $1.differences(instrument, low, high, ramps) }
    guard differing == 0 else {
      throw BenchError(
        "\(name): \(differing) samples differ from the C kernels, which should be bit for bit the same")
    }
  }

  private func differences(
    _ instrument: Instrument, _ low: Settings, _ high: Settings, _ ramps: [RampState]
  ) -> Int {
    let frames = instrument.frames
    let result = Rows([frames])
    var count = 0
    func crush(_ body: (Int) -> Void) {
      for row in 0..<instrument.outputRows {
        body(row)
        for frame in 0..<frames {
          if unsafe instrument.output(row)[frame].bitPattern != result[0][frame].bitPattern { count += 1 }
        }
      }
    }
    instrument.set(low)
    instrument.reset()
    instrument.run(1)
    crush { unsafe settled(instrument.input($0), result[0], frames, low, times: 1) }
    instrument.set(high)
    instrument.run(1)
    crush { unsafe moving(instrument.input($0), result[0], frames, ramps, times: 1) }
    return count
  }
}
