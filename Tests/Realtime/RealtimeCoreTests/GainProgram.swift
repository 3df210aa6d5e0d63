// SPDX-License-Identifier: Apache-2.0

import CRealtime
import RealtimeCore

/// A program by hand that keeps to the conventions of native code: output = gain * (input + echo * earlier input).
///
/// `echo` steps, and lies in a copy that is renewed only when its flag says so. `gain` ramps; while it rests, it and
/// its product with `echo` lie in copies that are renewed by the other flag. The earlier input is state.
enum GainProgram {
  static let rampFrames: Int32 = 10
  static let channels = 2

  private static let blockStale = 8
  private static let settledStale = 12
  private static let span = 16
  private static let ramps = 32
  private static let echoCopy = 80
  private static let gainCopy = 84
  private static let wetCopy = 88
  private static let state = 128

  static let gain = ProgramLayout.ParameterRange(
    name: "gain", minimum: -2, maximum: 2, initial: 1, unit: "", rampFrames: rampFrames)
  static let echo = ProgramLayout.ParameterRange(
    name: "echo", minimum: 0, maximum: 1, initial: 0, unit: "", rampFrames: 0)

  static var layout: ProgramLayout {
    ProgramLayout(
      inputs: [.init(name: "src", shape: [channels], rows: channels, rowLength: nil)],
      outputs: [.init(name: "dst", shape: [channels], rows: channels, rowLength: nil)],
      parameters: [gain, echo], executesStream: true, latency: 0, workspaceSize: 4096,
      positionOffset: 0, blockStaleOffset: blockStale, settledStaleOffset: settledStale,
      rampSpanOffset: span, rampsOffset: ramps, stateRange: state..<(state + 4 * channels))
  }

  static func make() throws -> Program {
    unsafe try Program(
      name: "gain", layout: layout, entry: { unsafe GainProgram.run($0, $1, $2, $4) })
  }

  private static func run(
    _ inputs: UnsafePointer<UnsafePointer<Float>?>?, _ outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?,
    _ workspace: UnsafeMutableRawPointer, _ frames: Int
  ) {
    let blockStale = unsafe (workspace + blockStale).assumingMemoryBound(to: Int32.self)
    let settledStale = unsafe (workspace + settledStale).assumingMemoryBound(to: Int32.self)
    let span = unsafe (workspace + span).assumingMemoryBound(to: RampSpan.self)
    let position = unsafe workspace.load(as: Int64.self)
    let ramps = unsafe (workspace + ramps).assumingMemoryBound(to: RampState.self)
    let echoCopy = unsafe (workspace + echoCopy).assumingMemoryBound(to: Float.self)
    let gainCopy = unsafe (workspace + gainCopy).assumingMemoryBound(to: Float.self)
    let wetCopy = unsafe (workspace + wetCopy).assumingMemoryBound(to: Float.self)
    let earlier = unsafe (workspace + state).assumingMemoryBound(to: Float.self)

    if unsafe blockStale.pointee != 0 {
      unsafe echoCopy.pointee = ramps[1].target
      unsafe blockStale.pointee = 0
    }
    for frame in 0..<frames {
      let gain: Float
      let wet: Float
      if unsafe ramps[0].length > 0 {
        let elapsed = unsafe Int32(position + Int64(frame) + 1 - span.pointee.beginning)
        gain = unsafe ramps[0].value(at: elapsed)
        wet = unsafe gain * echoCopy.pointee
        if unsafe elapsed == ramps[0].length {
          unsafe ramps[0] = RampState(settledAt: ramps[0].target)
          unsafe settledStale.pointee = 1
        }
      } else {
        if unsafe settledStale.pointee != 0 {
          unsafe gainCopy.pointee = ramps[0].target
          unsafe wetCopy.pointee = ramps[0].target * echoCopy.pointee
          unsafe settledStale.pointee = 0
        }
        gain = unsafe gainCopy.pointee
        wet = unsafe wetCopy.pointee
      }
      for channel in 0..<channels {
        let x = unsafe inputs![channel]![frame]
        unsafe outputs![channel]![frame] = gain * x + wet * earlier[channel]
        unsafe earlier[channel] = x
      }
    }
  }
}

extension RampState {
  /// The law of ramps, as native code computes it.
  fileprivate func value(at elapsed: Int32) -> Float {
    elapsed >= length ? target : start.addingProduct(Float(elapsed), step)
  }
}
