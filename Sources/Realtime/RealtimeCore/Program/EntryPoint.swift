// SPDX-License-Identifier: Apache-2.0

/// The one function of a compiled program.
///
/// It takes a table with a pointer for each row of each input (input 0's rows first), the same for the outputs,
/// the workspace, the packed weights, and the number of frames (1 for a step).
public typealias EntryPoint =
  @convention(c) (
    _ inputs: UnsafePointer<UnsafePointer<Float>?>?,
    _ outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?,
    _ workspace: UnsafeMutableRawPointer,
    _ weights: UnsafeRawPointer?,
    _ frames: Int
  ) -> Void
