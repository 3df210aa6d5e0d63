// SPDX-License-Identifier: Apache-2.0

/// The state of a program's contexts before their first frame, where that is not silence: what is left of frames that
/// ran before, at positions below 0.
///
///     position   -prewarm                      0
///     inputs      0 0 0 0 0 0 0 0 0 0 0 0 0 0  │ the first frame
///     state       0 ╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌╌▶ settled  │ copied at each beginning
///
/// Parameters have one value each meanwhile, their initial ones or others. The first frame is at position 0 all the same, so that nothing else
/// is different in a program that warms up.
@safe
final class InitialState: Sendable {
  private let memory: Workspace

  var bytes: UnsafeRawBufferPointer { unsafe UnsafeRawBufferPointer(memory.memory) }

  /// Executes silence.
  ///
  /// - Parameters:
  ///   - frames: Frames, or steps.
  ///   - program: The program without a warm-up of its own.
  ///   - values: The values of parameters, by name, where they are not the initial ones.
  /// - Throws: `ProgramError.outOfMemory`.
  init(after frames: Int, of program: Program, at values: [String: Float]) throws(ProgramError) {
    let block = min(frames, 128)
    do throws(ContextError) {
      var driver = try ContextDriver(program, frames: block)
      for (name, value) in values { driver[0].parameter(named: name)?.set(value) }
      driver[0].begin(at: -Int64(frames))
      var left = frames
      while left > 0 {
        driver.execute(min(block, left))
        left -= min(block, left)
      }
      let count = program.layout.stateRange.count
      memory = try Workspace(size: count)
      unsafe memory.memory.copyMemory(
        from: UnsafeRawBufferPointer(start: driver[0].wiring.state, count: count))
    } catch {
      throw .outOfMemory(program: program.name, bytes: program.workspaceSize)
    }
  }
}
