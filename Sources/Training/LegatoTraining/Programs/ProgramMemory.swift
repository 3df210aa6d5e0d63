// SPDX-License-Identifier: Apache-2.0

internal import RealtimeCore

/// Memory in which programs lie of which one runs at a time: the workspace of any of them, and what goes in and out.
///
///     workspace of the largest │ ports
@safe
final class ProgramMemory {
  /// The memory that a program needs, beside numbers that it shares with others.
  struct Size {
    /// Bytes.
    var workspace = 0
    /// Numbers that go in and out.
    var ports = 0

    /// That of memory for two of which neither has anything to keep while the other one runs.
    func joined(with other: Size) -> Size {
      Size(workspace: max(workspace, other.workspace), ports: max(ports, other.ports))
    }

    /// The bytes: up to a page more than is used, as a workspace begins at one.
    var bytes: Int { Workspace.alignment + lines + ports * MemoryLayout<Float>.stride }

    /// The bytes of the workspace in whole cache lines.
    fileprivate var lines: Int { (workspace + 63) / 64 * 64 }
  }

  private let all: LearnedMemory
  private let workspace: UnsafeMutableRawBufferPointer
  /// The first of the ports among all numbers.
  private let firstPort: Int
  /// The program that was executed last, known by the address of its table of inputs.
  var lastProgram: UnsafeRawPointer?

  init(_ size: Size) throws(TrainingError) {
    let all = try LearnedMemory(count: size.bytes / MemoryLayout<Float>.stride)
    let start = unsafe UnsafeMutableRawPointer(all.place(0, count: all.count).start)
    let page = unsafe start.alignedUp(toMultipleOf: Workspace.alignment)
    unsafe workspace = UnsafeMutableRawBufferPointer(start: page, count: size.workspace)
    firstPort = unsafe (page - start + size.lines) / MemoryLayout<Float>.stride
    self.all = all
  }

  /// Some of the numbers that go in and out; valid as long as the memory.
  func port(_ start: Int, count: Int) -> LearningProgram.Place {
    all.place(firstPort + start, count: count)
  }

  /// A context, which has to be reset before it executes where another program has left its numbers in the workspace.
  func context(of program: Program) throws(TrainingError) -> Context {
    do throws(ContextError) {
      return try unsafe Context(program, workspace: Workspace(unsafe: workspace, for: program))
    } catch {
      throw .program(error.description)
    }
  }
}
