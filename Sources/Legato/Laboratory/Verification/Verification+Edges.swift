// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import GraphIR
internal import RealtimeCore
internal import ReferenceInterpreter

/// Nothing is written but outputs and the workspace: not beside them, and not into inputs.
extension Verification {
  /// Lengths around those of vectors, stages and tiles: what writes too far does so at an end.
  private static let lengths = [1, 2, 3, 5, 7, 8, 9, 15, 16, 17, 31, 32, 33, 63, 64, 65, 127, 128, 129, 200]
  /// Numbers that no write of a whole stage goes beyond.
  private static let fence = 256

  func edges(_ trial: Stimulus) throws(ContextError) -> Finding {
    let lengths = isStream ? Self.lengths : Self.lengths.map { _ in 1 }
    let fenced = try FencedMemory(bytes: program.workspaceSize)
    let context = try unsafe Context(program, workspace: Workspace(unsafe: fenced.inner, for: program))
    var driver = try ContextDriver(context, frames: 2 * (lengths.max() ?? 1), margin: Self.fence)
    let parameters = driver[0].parameters
    var noise = Noise(seed: Stimulus.parameterSeed)
    var (frame, blocks) = (0, 0)
    for count in lengths where frame + count <= trial.frames {
      for parameter in parameters {
        let (low, high) = (parameter.range.minimum, parameter.range.maximum)
        parameter.set(low + (noise.next() + 1) / 2 * (high - low))
      }
      // Blocks begin at addresses of many kinds.
      let place = blocks % 2 * count
      driver.inputs.raiseFence()
      driver.outputs.raiseFence()
      driver.inputs.fill(trial.inputs, from: frame, frames: count, at: place)
      driver.execute(count, from: place)
      let written = place..<place + count
      let fault: String? =
        if !driver.inputs.holds(trial.inputs, from: frame, frames: count, at: place) {
          "an input"
        } else if !driver.inputs.fenceIsWhole(except: written)
          || !driver.outputs.fenceIsWhole(except: written)
        {
          "memory beside a row"
        } else if !fenced.isWhole { "memory beside the workspace" } else { nil }
      if let fault {
        let what = isStream ? "a block of \(counted(count, "frame"))" : "a step"
        return trying("edges", holds: false, "\(what) writes into \(fault)")
      }
      frame += count
      blocks += 1
    }
    return trying(
      "edges", holds: true, "nothing is written into inputs, nor beside outputs and the workspace",
      ["edgeBlocks": .count(blocks)])
  }
}

/// Memory between two fences.
@safe private final class FencedMemory {
  private let memory: UnsafeMutableRawBufferPointer
  /// The memory between the fences.
  let inner: UnsafeMutableRawBufferPointer

  private static let fence: UInt8 = 0xA5

  init(bytes: Int) throws(ContextError) {
    let page = Workspace.alignment
    let count = page + bytes + page
    var start: UnsafeMutableRawPointer?
    let isThere = unsafe posix_memalign(&start, page, count) == 0
    guard isThere, let start = unsafe start else { throw .outOfMemory(bytes: count) }
    unsafe memory = UnsafeMutableRawBufferPointer(start: start, count: count)
    for index in unsafe memory.indices { unsafe memory[index] = Self.fence }
    unsafe inner = UnsafeMutableRawBufferPointer(rebasing: memory[page..<page + bytes])
  }

  deinit { unsafe free(memory.baseAddress) }

  var isWhole: Bool {
    let page = Workspace.alignment
    return unsafe memory.prefix(page).allSatisfy { $0 == Self.fence }
      && memory.suffix(page).allSatisfy { $0 == Self.fence }
  }
}
