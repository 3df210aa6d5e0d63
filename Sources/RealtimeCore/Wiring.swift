// SPDX-License-Identifier: Apache-2.0

import CRealtime
import Synchronization

/// Every address that executing needs, looked up beforehand.
///
/// It holds no reference, so that the audio thread counts none; the context that has it keeps alive what it
/// points to.
@unsafe
struct Wiring {
  let entry: EntryPoint
  let workspace: UnsafeMutableRawPointer
  let weights: UnsafeRawPointer?
  let position: UnsafeMutablePointer<Int64>
  let blockStale: UnsafeMutablePointer<Int32>
  let settledStale: UnsafeMutablePointer<Int32>
  let ramps: UnsafeMutablePointer<RampState>
  let state: UnsafeMutableRawPointer
  let stateBytes: Int
  let cells: ParameterCells
  let executesStream: Bool

  init(_ program: Program, _ workspace: UnsafeMutableRawPointer, _ cells: ParameterCells) {
    let layout = program.layout
    unsafe entry = program.entry
    unsafe self.workspace = workspace
    unsafe weights = program.weights?.bytes.baseAddress
    unsafe position = (workspace + layout.positionOffset).bindMemory(to: Int64.self, capacity: 1)
    unsafe blockStale = (workspace + layout.blockStaleOffset).bindMemory(to: Int32.self, capacity: 1)
    unsafe settledStale = (workspace + layout.settledStaleOffset).bindMemory(to: Int32.self, capacity: 1)
    unsafe ramps = (workspace + layout.rampsOffset).bindMemory(
      to: RampState.self, capacity: layout.parameters.count)
    unsafe state = workspace + layout.stateRange.lowerBound
    unsafe stateBytes = layout.stateRange.count
    unsafe self.cells = cells
    unsafe executesStream = layout.executesStream
  }

  /// Puts the workspace into the condition of a new one, with parameters at their targets.
  @_noLocks func reset() {
    unsafe legato_clear(state, stateBytes)
    unsafe position.pointee = 0
    unsafe blockStale.pointee = 1
    unsafe settledStale.pointee = 1
    for index in 0..<(unsafe cells.count) {
      unsafe ramps[index] = RampState(settledAt: target(index))
    }
  }

  /// Sends each parameter whose target has changed on its way.
  ///
  /// Before the first frame there is nothing to glide from, and a parameter jumps.
  @_noLocks func retarget() {
    let hasBegun = unsafe position.pointee > 0
    for index in 0..<(unsafe cells.count) {
      let target = unsafe target(index)
      guard unsafe ramps[index].target != target else { continue }
      let rampFrames = unsafe cells.first[index].rampFrames
      unsafe ramps[index].retarget(to: target, over: hasBegun ? rampFrames : 0)
      unsafe settledStale.pointee = 1
      if rampFrames == 0 { unsafe blockStale.pointee = 1 }
    }
  }

  /// Runs native code, which reads the position, and moves the position on.
  @_noLocks func call(
    frames: Int, inputs: UnsafePointer<UnsafePointer<Float>?>?,
    outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?
  ) {
    let before = unsafe position.pointee
    unsafe legato_call(entry, inputs, outputs, workspace, weights, frames)
    unsafe position.pointee = before + Int64(frames)
  }

  @_noLocks private func target(_ index: Int) -> Float {
    unsafe Float(bitPattern: cells.first[index].bits.load(ordering: .relaxed))
  }
}
