// SPDX-License-Identifier: Apache-2.0

internal import HandKernels
internal import RealtimeCore

/// Calls one after the other, with nothing between them: of C functions, and of compiled programs straight at their
/// entry points.
///
/// What `Context.execute` does beside the call (it looks for parameters that were set, and at the floating-point
/// mode) is left out: a library of primitives would not do it.
@safe final class CallList {
  private var calls: [hand_call] = unsafe []
  private var places: [CallPlace] = []

  var count: Int { unsafe calls.count }

  /// Appends a primitive over so many numbers; up to three operands.
  func append(
    _ primitive: hand_primitive_function, _ operands: [UnsafePointer<Float>],
    _ result: UnsafeMutablePointer<Float>,
    count: Int
  ) {
    unsafe precondition((1...3).contains(operands.count), "a primitive has one to three operands")
    let (a, c) = unsafe (operands[0], operands[operands.count - 1])
    let b = unsafe operands.count > 1 ? operands[1] : a
    unsafe calls.append(
      hand_call(
        primitive: primitive, a: a, b: b, c: c, y: result, count: count, entry: nil, inputs: nil,
        outputs: nil,
        workspace: nil, weights: nil, position: nil))
  }

  /// Appends a program.
  ///
  /// - Parameters:
  ///   - inputs: a row of memory for each row of the program's inputs.
  ///   - outputs: the same for its outputs.
  func append(
    _ program: Program, inputs: [UnsafePointer<Float>], outputs: [UnsafeMutablePointer<Float>]
  ) throws(ContextError) {
    let place = unsafe try CallPlace(program, inputs, outputs)
    places.append(place)
    unsafe calls.append(
      hand_call(
        primitive: nil, a: nil, b: nil, c: nil, y: nil, count: 0, entry: program.entry,
        inputs: UnsafePointer(place.inputs.baseAddress!), outputs: UnsafePointer(place.outputs.baseAddress!),
        workspace: place.memory.baseAddress!, weights: program.weights?.bytes.baseAddress,
        position: (place.memory.baseAddress! + program.layout.positionOffset)
          .assumingMemoryBound(to: Int64.self)))
  }

  /// Makes all calls, so many times.
  func run(frames: Int, times: Int) {
    unsafe calls.withUnsafeBufferPointer { calls in
      guard let first = calls.baseAddress else { return }
      unsafe hand_call(first, calls.count, frames, times)
    }
  }
}

/// A context, and where everything lies that its program takes.
@safe private final class CallPlace {
  let memory: UnsafeMutableRawBufferPointer
  let inputs: UnsafeMutableBufferPointer<UnsafePointer<Float>?>
  let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  /// Its making has put the workspace into the condition of the stream's beginning.
  private let context: Context

  init(
    _ program: Program, _ inputs: [UnsafePointer<Float>], _ outputs: [UnsafeMutablePointer<Float>]
  ) throws(ContextError) {
    unsafe memory = .allocate(byteCount: program.workspaceSize, alignment: Workspace.alignment)
    // A program without inputs gets a table all the same, with nothing in it.
    unsafe self.inputs = .allocate(capacity: max(1, inputs.count))
    unsafe self.inputs.initialize(repeating: nil)
    unsafe self.outputs = .allocate(capacity: outputs.count)
    for index in unsafe inputs.indices { unsafe self.inputs[index] = inputs[index] }
    for index in unsafe outputs.indices {
      unsafe self.outputs.initializeElement(at: index, to: outputs[index])
    }
    context = try Context(program, workspace: try unsafe Workspace(unsafe: memory, for: program))
  }

  deinit {
    unsafe memory.deallocate()
    unsafe inputs.deallocate()
    unsafe outputs.deallocate()
  }
}
