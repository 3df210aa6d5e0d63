// SPDX-License-Identifier: Apache-2.0

internal import CRealtime
import Synchronization

/// Every address that executing needs, looked up beforehand.
///
/// It holds no reference, so that the audio thread counts none; the context that has it keeps alive what it points to.
@unsafe
struct Wiring {
  let entry: EntryPoint
  let workspace: UnsafeMutableRawPointer
  let weights: UnsafeRawPointer?
  let position: UnsafeMutablePointer<Int64>
  let blockStale: UnsafeMutablePointer<Int32>
  let settledStale: UnsafeMutablePointer<Int32>
  let span: UnsafeMutablePointer<RampSpan>
  let ramps: UnsafeMutablePointer<RampState>
  let counts: UnsafeMutableBufferPointer<Int64>
  let state: UnsafeMutableRawPointer
  let stateBytes: Int
  /// The state at the beginning; nil for zeros.
  let initial: UnsafeRawPointer?
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
    unsafe span = (workspace + layout.rampSpanOffset).bindMemory(to: RampSpan.self, capacity: 1)
    unsafe ramps = (workspace + layout.rampsOffset).bindMemory(
      to: RampState.self, capacity: layout.parameters.count)
    let firstCount = unsafe (workspace + layout.countsOffset).bindMemory(
      to: Int64.self, capacity: layout.signalDelays.count)
    unsafe counts = .init(start: firstCount, count: layout.signalDelays.count)
    unsafe state = workspace + layout.stateRange.lowerBound
    unsafe stateBytes = layout.stateRange.count
    unsafe initial = program.initialState?.bytes.baseAddress
    unsafe self.cells = cells
    unsafe executesStream = layout.executesStream
  }

  /// Puts the workspace into the condition of a new one, with parameters at their targets.
  @_noLocks func reset() {
    unsafe forget(from: 0, stateBytes)
    unsafe begin()
  }

  /// As `reset`, but in a program without parameters what depends on array parameters alone is not computed again.
  @_noLocks func rewind() {
    let stale = unsafe blockStale.pointee
    unsafe reset()
    if unsafe cells.count == 0 { unsafe blockStale.pointee = stale }
  }

  /// Returns some bytes of the state to what they are at the beginning.
  @_noLocks func forget(from first: Int, _ count: Int) {
    if let initial = unsafe initial {
      unsafe legato_copy(state + first, initial + first, count)
    } else {
      unsafe legato_clear(state + first, count)
    }
  }

  /// Goes to the beginning of the stream, or before it, with parameters at their targets; what is remembered stays.
  @_noLocks func begin(at first: Int64 = 0) {
    for index in unsafe counts.indices { unsafe counts[index] = 0 }
    unsafe position.pointee = first
    unsafe blockStale.pointee = 1
    unsafe settledStale.pointee = 1
    unsafe span.pointee = RampSpan(beginning: first, landing: first)
    for index in 0..<(unsafe cells.count) {
      unsafe ramps[index] = RampState(settledAt: cells.target(index))
    }
  }

  /// Sends each parameter whose target has changed on its way.
  ///
  /// Before the first frame there is nothing to glide from, and a parameter jumps.
  @_noLocks func retarget() {
    let hasBegun = unsafe position.pointee > 0
    var begins = false
    for index in 0..<(unsafe cells.count) {
      let target = unsafe cells.target(index)
      guard unsafe ramps[index].target != target else { continue }
      unsafe settledStale.pointee = 1
      let frames = unsafe cells.first[index].rampFrames
      if hasBegun && frames > 0 {
        if !begins { unsafe restartRamps() }
        begins = true
        unsafe legato_ramp_glide(ramps + index, legato_ramp_value(ramps + index, 0), target, frames)
      } else {
        unsafe ramps[index] = RampState(settledAt: target)
        if frames == 0 { unsafe blockStale.pointee = 1 }
      }
    }
    if begins { unsafe findLanding() }
  }

  /// Sends one parameter on its way, over so many frames from here.
  @_noLocks func glide(_ index: Int, to value: Float, over frames: Int32) {
    let (minimum, maximum) = unsafe (cells.first[index].minimum, cells.first[index].maximum)
    guard let target = value.clamped(minimum, maximum) else { return }
    // Who reads the parameter sees where it is going, and `retarget` finds nothing to do.
    unsafe cells.first[index].bits.store(target.bitPattern, ordering: .relaxed)
    let isStepped = unsafe cells.first[index].rampFrames == 0
    let isMoving = unsafe ramps[index].length > 0
    let isThere = unsafe ramps[index].target == target
    guard isMoving || !isThere else { return }
    unsafe settledStale.pointee = 1
    unsafe restartRamps()
    if frames > 0 && !isStepped {
      unsafe legato_ramp_glide(ramps + index, legato_ramp_value(ramps + index, 0), target, frames)
    } else {
      unsafe ramps[index] = RampState(settledAt: target)
      if isStepped { unsafe blockStale.pointee = 1 }
    }
    unsafe findLanding()
  }

  /// Lets all ramps count from here.
  @_noLocks private func restartRamps() {
    unsafe legato_ramps_restart(ramps, Int32(truncatingIfNeeded: cells.count), span, position.pointee)
  }

  /// Looks for the ramp that lands first.
  @_noLocks func findLanding() {
    unsafe legato_ramps_find_landing(ramps, Int32(truncatingIfNeeded: cells.count), span)
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

  /// Goes to where another context is in the stream, with ramps that count from where its ramps do.
  @_noLocks func takeOver(from old: Wiring) {
    unsafe position.pointee = old.position.pointee
    unsafe span.pointee.beginning = old.span.pointee.beginning
    unsafe blockStale.pointee = 1
    unsafe settledStale.pointee = 1
  }

  /// Lets a parameter be where another context's is, and on the same way, as far as this one's range allows; otherwise,
  /// and where `other` is -1, it rests at its target.
  @_noLocks func takeOver(_ index: Int, from old: Wiring, _ other: Int) {
    unsafe ramps[index] = RampState(settledAt: cells.target(index))
    guard other >= 0, unsafe cells.first[index].rampFrames > 0 else { return }
    let ramp = unsafe old.ramps[other]
    let (minimum, maximum) = unsafe (cells.first[index].minimum, cells.first[index].maximum)
    let isWithin =
      ramp.start >= minimum && ramp.start <= maximum && ramp.target >= minimum && ramp.target <= maximum
    guard isWithin else { return }
    unsafe ramps[index] = ramp
  }
}
