// SPDX-License-Identifier: Apache-2.0

/// What an entry point relies on, checked in debug builds: it takes time that grows with the square of the rows.
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
        guard unsafe isFree(place, of: inputs, frames), unsafe isFree(place, of: outputs, frames) else {
          return false
        }
      }
      first += extent.rows
    }
    return true
  }

  /// Where one row lies.
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

  /// Whether an output row touches no input row but its own.
  @_noLocks private borrowing func isFree(
    _ output: Place, of inputs: UnsafePointer<UnsafePointer<Float>?>?, _ frames: Int
  ) -> Bool {
    var first = 0
    for port in unsafe inputPorts.indices {
      let extent = unsafe inputPorts[port]
      for row in 0..<extent.rows {
        let input = unsafe Place(
          port: port, row: row, start: UInt(bitPattern: inputs![first + row]),
          length: extent.length(frames: frames))
        if output.overlaps(input), !output.isSameRow(input) { return false }
      }
      first += extent.rows
    }
    return true
  }

  /// Whether an output row touches no output row but itself.
  @_noLocks private borrowing func isFree(
    _ output: Place, of outputs: UnsafePointer<UnsafeMutablePointer<Float>?>?, _ frames: Int
  ) -> Bool {
    var first = 0
    for port in unsafe outputPorts.indices {
      let extent = unsafe outputPorts[port]
      for row in 0..<extent.rows {
        let other = unsafe Place(
          port: port, row: row, start: UInt(bitPattern: outputs![first + row]),
          length: extent.length(frames: frames))
        if output.overlaps(other), !output.isSameRow(other) { return false }
      }
      first += extent.rows
    }
    return true
  }
}
