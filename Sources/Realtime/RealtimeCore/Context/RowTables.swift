// SPDX-License-Identifier: Apache-2.0

/// The tables that an entry point takes, one pointer a row, reserved once and filled for each execute.
///
///     ports         input 0: 2 rows    input 1: 1 row
///     inputs        row 0 · row 1      row 0
@safe
struct RowTables: ~Copyable {
  /// The extent of a port; unlike `ProgramLayout.Port`, nothing here is counted by reference.
  struct Extent {
    let rows: Int
    /// Numbers in a row, or nil where a row is as long as the block.
    let rowLength: Int?

    @_noLocks func length(frames: Int) -> Int { rowLength ?? frames }

    @_noLocks func holds(_ count: Int, _ frames: Int) -> Bool {
      let (numbers, overflows) = rows.multipliedReportingOverflow(by: length(frames: frames))
      return !overflows && numbers == count
    }
  }

  let inputs: UnsafeMutableBufferPointer<UnsafePointer<Float>?>
  let outputs: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  let inputPorts: UnsafeMutableBufferPointer<Extent>
  let outputPorts: UnsafeMutableBufferPointer<Extent>

  init(_ layout: ProgramLayout) {
    unsafe inputPorts = Self.extents(layout.inputs)
    unsafe outputPorts = Self.extents(layout.outputs)
    unsafe inputs = .allocate(capacity: layout.inputs.reduce(0) { $0 + $1.rows })
    unsafe outputs = .allocate(capacity: layout.outputs.reduce(0) { $0 + $1.rows })
    unsafe inputs.initialize(repeating: nil)
    unsafe outputs.initialize(repeating: nil)
  }

  deinit {
    unsafe inputs.deallocate()
    unsafe outputs.deallocate()
    unsafe inputPorts.deallocate()
    unsafe outputPorts.deallocate()
  }

  private static func extents(_ ports: [ProgramLayout.Port]) -> UnsafeMutableBufferPointer<Extent> {
    let extents = UnsafeMutableBufferPointer<Extent>.allocate(capacity: ports.count)
    for (index, port) in ports.enumerated() {
      unsafe extents.initializeElement(at: index, to: Extent(rows: port.rows, rowLength: port.rowLength))
    }
    return unsafe extents
  }

  /// Points the input table at rows a constant distance apart, one description a port.
  @_noLocks borrowing func fill(inputs rows: UnsafePointer<InputRows>) {
    var row = 0
    for port in unsafe inputPorts.indices {
      for index in 0..<(unsafe inputPorts[port].rows) {
        unsafe inputs[row] = rows[port].base + index * rows[port].stride
        row += 1
      }
    }
  }

  /// Points the output table at rows a constant distance apart, one description a port.
  @_noLocks borrowing func fill(outputs rows: UnsafePointer<OutputRows>) {
    var row = 0
    for port in unsafe outputPorts.indices {
      for index in 0..<(unsafe outputPorts[port].rows) {
        unsafe outputs[row] = rows[port].base + index * rows[port].stride
        row += 1
      }
    }
  }

  /// Whether the program has one output and, where a count is given, one input, of so many numbers.
  @_noLocks borrowing func fits(frames: Int, input: Int?, output: Int) -> Bool {
    guard frames >= 0, unsafe outputPorts.count == 1, unsafe outputPorts[0].holds(output, frames) else {
      return false
    }
    guard let input else { return unsafe inputPorts.count == 0 }
    return unsafe inputPorts.count == 1 && inputPorts[0].holds(input, frames)
  }
}
