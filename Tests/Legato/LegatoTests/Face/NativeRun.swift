// SPDX-License-Identifier: Apache-2.0

import GraphIR
import GraphPasses
import GraphPlanning
import Legato
import NativeCode
import RealtimeCore
import ReferenceInterpreter
import Testing

/// A graph that was compiled, to be run over signals.
struct NativeRun {
  let program: Program
  let plan: Plan

  init(
    _ graph: Graph, target: Target? = nil, without passes: Set<String> = [], goal: Goal = .speed
  ) throws {
    let target = try target ?? .host()
    try self.init(
      graph,
      options: CompileOptions(target: target, pipeline: Pipeline(disabled: passes), goal: goal))
  }

  init(_ graph: Graph, options: CompileOptions, objects: ObjectCache = ObjectCache()) throws {
    let compiled = try CompiledGraph(graph, options: options)
    plan = compiled.plan
    program = try compiled.program(from: objects.object(of: compiled))
  }

  /// The outputs of a fresh context, executed in blocks whose sizes are taken in turn.
  func outputs(of stimulus: Stimulus, blocks: [Int] = [128], inPlace: Bool = false) throws -> [[Float]] {
    let playback = try Playback(stimulus, through: program, inPlace: inPlace)
    playback.finish(blocks)
    return playback.outputs
  }

  /// How many samples each delay by a signal is asked for outside of its range in such a run.
  func samplesOutside(of stimulus: Stimulus, blocks: [Int] = [128]) throws -> [Int] {
    let playback = try Playback(stimulus, through: program)
    playback.finish(blocks)
    return program.layout.signalDelays.indices.map { playback.context.samplesOutside(ofDelay: $0) }
  }

  /// The same outputs of a context that begins at another place of the stream.
  func outputs(of stimulus: Stimulus, blocks: [Int], from position: Int64) throws -> [[Float]] {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: program.workspaceSize, alignment: Workspace.alignment)
    defer { unsafe memory.deallocate() }
    let context = try Context(program, workspace: unsafe Workspace(unsafe: memory, for: program))
    unsafe memory.storeBytes(of: position, toByteOffset: WorkspaceLayout.positionOffset, as: Int64.self)
    let playback = try Playback(stimulus, through: context)
    playback.finish(blocks)
    return playback.outputs
  }

  /// The same in the caller's memory, which holds garbage at first; and whatever lives within one tile only is
  /// filled with not-a-numbers before each block.
  func outputsWithPoison(of stimulus: Stimulus, blocks: [Int] = [128]) throws -> [[Float]] {
    let memory = UnsafeMutableRawBufferPointer.allocate(
      byteCount: program.workspaceSize + 256, alignment: Workspace.alignment)
    defer { unsafe memory.deallocate() }
    unsafe memory.initializeMemory(as: UInt8.self, repeating: 0xa5)
    let context = try Context(program, workspace: unsafe Workspace(unsafe: memory, for: program))
    let arena = unsafe UnsafeMutableRawBufferPointer(rebasing: memory[plan.layout.arenaRange])
    let numbers = unsafe arena.bindMemory(to: Float.self)
    let playback = try Playback(stimulus, through: context)
    var turn = 0
    while !playback.isFinished {
      unsafe numbers.update(repeating: .nan)
      playback.advance(by: blocks[turn % blocks.count])
      turn += 1
    }
    #expect(unsafe memory[program.workspaceSize...].allSatisfy { $0 == 0xa5 }, "written behind the workspace")
    return playback.outputs
  }
}
