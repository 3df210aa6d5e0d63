// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// A chain of bitcrushers written by hand, in one of several schedules.
@safe struct HandChain {
  let name: String
  /// The number of which a block's frames are a multiple.
  let frames: Int
  private let kernel: Kernel

  @unsafe private enum Kernel {
    /// Some vectors go through all stages, then the next.
    case stages(hand_chain_kernel)
    /// The whole row goes through a stage, then through the next, in memory.
    case memory(HandBitcrusher)
  }

  /// All schedules for this machine; none where it lacks SSE4.1.
  static var all: [HandChain] {
    let list = unsafe hand_chain_all()
    return unsafe (0..<list.count).map { unsafe HandChain(list.first![$0]) }
      + HandBitcrusher.all.map(HandChain.init)
  }

  private init(_ schedule: hand_chain) {
    unsafe name = String(cString: schedule.name)
    unsafe frames = schedule.frames
    unsafe kernel = .stages(schedule.run)
  }

  private init(_ bitcrusher: HandBitcrusher) {
    name = "rows a stage"
    frames = 16
    unsafe kernel = .memory(bitcrusher)
  }

  func run(
    _ inputs: [UnsafePointer<Float>], _ outputs: [UnsafeMutablePointer<Float>], _ frames: Int, stages: Int,
    _ setting: HandBitcrusher.Settings, times: Int
  ) {
    switch unsafe kernel {
    case .stages(let run):
      var values = hand_setting(gain: setting[1], resolution: setting[0], dryWet: setting[2])
      unsafe inputs.withUnsafeBufferPointer { inputs in
        unsafe outputs.withUnsafeBufferPointer { outputs in
          for _ in 0..<times {
            unsafe run(
              UnsafeRawPointer(inputs.baseAddress!).assumingMemoryBound(to: UnsafePointer<Float>.self),
              outputs.baseAddress!, inputs.count, frames, stages, &values)
          }
        }
      }
    case .memory(let bitcrusher):
      for _ in 0..<times {
        for row in unsafe inputs.indices {
          unsafe bitcrusher.settled(inputs[row], outputs[row], frames, setting, times: 1)
          unsafe bitcrusher.settled(outputs[row], outputs[row], frames, setting, times: stages - 1)
        }
      }
    }
  }
}
