// SPDX-License-Identifier: Apache-2.0

/// Preconditions of an entry point, checked in debug builds: the time grows with the square of the rows.
extension RowTables {
  /// Whether each row of each port has a place.
  @_noLocks borrowing func isComplete(
    inputs: UnsafePointer<UnsafePointer<Float>?>?, outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?
  ) -> Bool {
    for row in unsafe self.inputs.indices {
      guard let inputs = unsafe inputs, unsafe inputs[row] != nil else { return false }
    }
    for row in unsafe self.outputs.indices {
      guard let outputs = unsafe outputs, unsafe outputs[row] != nil else { return false }
    }
    return true
  }

  /// Whether no output row shares a sample with another row, except with its own input row.
  ///
  /// Output i, row c may be exactly input i, row c. Inputs may overlap one another.
  @_noLocks borrowing func overlapIsLegal(
    frames: Int, inputs: UnsafePointer<UnsafePointer<Float>?>?,
    outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?
  ) -> Bool {
    var first = 0
    for port in unsafe outputPorts.indices {
      let extent = unsafe outputPorts[port]
      for row in 0..<extent.rows {
        let place = unsafe Place(
          port: port, row: row, start: UInt(bitPattern: outputs![first + row]),
          length: extent.length(frames: frames))
        guard unsafe isFree(place, of: inputPorts, UnsafeRawPointer(inputs), frames),
          unsafe isFree(place, of: outputPorts, UnsafeRawPointer(outputs), frames)
        else { return false }
      }
      first += extent.rows
    }
    return true
  }

  /// The memory of one row.
  private struct Place {
    let port: Int
    let row: Int
    let start: UInt
    /// Numbers, not bytes.
    let length: Int

    @_noLocks func overlaps(_ other: Place) -> Bool {
      start < other.end && other.start < end
    }

    @_noLocks func isSameRow(_ other: Place) -> Bool {
      port == other.port && row == other.row && start == other.start && length == other.length
    }

    private var end: UInt { start + UInt(length * MemoryLayout<Float>.stride) }
  }

  /// Whether an output row touches no row of these ports but itself, or its own input.
  ///
  /// - Parameter rows: the table of the ports' rows, of input or of output.
  @_noLocks private borrowing func isFree(
    _ output: Place, of ports: UnsafeMutableBufferPointer<Extent>, _ rows: UnsafeRawPointer?, _ frames: Int
  ) -> Bool {
    var first = 0
    for port in ports.indices {
      let extent = unsafe ports[port]
      for row in 0..<extent.rows {
        let start = unsafe rows!.load(
          fromByteOffset: (first + row) * MemoryLayout<UInt>.stride, as: UInt.self)
        let other = Place(port: port, row: row, start: start, length: extent.length(frames: frames))
        if output.overlaps(other), !output.isSameRow(other) { return false }
      }
      first += extent.rows
    }
    return true
  }
}
