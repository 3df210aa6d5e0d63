// SPDX-License-Identifier: Apache-2.0

import RealtimeCore
import TestEquipment

/// Memory for the rows of ports, one behind the other, and every table that a context takes.
@safe final class PortMemory {
  struct Port {
    let rows: Int
    /// Numbers in a row, or nil where a row is as long as the block.
    let rowLength: Int?
    /// The port's first row among all rows.
    let firstRow: Int
    /// The port's first number in memory.
    let start: Int
  }

  let ports: [Port]
  let rows: UnsafeMutableBufferPointer<UnsafeMutablePointer<Float>?>
  let sources: UnsafeMutableBufferPointer<UnsafePointer<Float>?>
  let stridedRows: UnsafeMutableBufferPointer<OutputRows>
  let stridedSources: UnsafeMutableBufferPointer<InputRows>
  private let memory: UnsafeMutableBufferPointer<Float>
  private let noise: UnsafeMutableBufferPointer<Float>

  /// - Parameter frames: of the longest block.
  init(_ layout: [ProgramLayout.Port], frames: Int) {
    var ports: [Port] = []
    var (row, start) = (0, 0)
    for port in layout {
      ports.append(Port(rows: port.rows, rowLength: port.rowLength, firstRow: row, start: start))
      row += port.rows
      start += port.rows * (port.rowLength ?? frames)
    }
    self.ports = ports
    unsafe rows = .allocate(capacity: row)
    unsafe sources = .allocate(capacity: row)
    unsafe stridedRows = .allocate(capacity: layout.count)
    unsafe stridedSources = .allocate(capacity: layout.count)
    // One number more, so that there is a first one.
    unsafe memory = .allocate(capacity: start + 1)
    unsafe noise = .allocate(capacity: start + 1)
    unsafe memory.initialize(repeating: 0)
    unsafe noise.initialize(repeating: 0)
    var random = SplitMix(seed: 2)
    for index in unsafe noise.indices { unsafe noise[index] = random.float(-1, 1) }
    for (index, port) in ports.enumerated() {
      let base = unsafe memory.baseAddress! + port.start
      let length = port.rowLength ?? frames
      unsafe stridedRows.initializeElement(at: index, to: OutputRows(base: base, stride: length))
      unsafe stridedSources.initializeElement(at: index, to: InputRows(base: base, stride: length))
      for row in 0..<port.rows {
        unsafe rows.initializeElement(at: port.firstRow + row, to: base + row * length)
        unsafe sources.initializeElement(at: port.firstRow + row, to: base + row * length)
      }
    }
  }

  deinit {
    unsafe rows.deallocate()
    unsafe sources.deallocate()
    unsafe stridedRows.deallocate()
    unsafe stridedSources.deallocate()
    unsafe memory.deallocate()
    unsafe noise.deallocate()
  }

  /// Puts noise into all rows.
  func fill() { unsafe memory.baseAddress!.update(from: noise.baseAddress!, count: memory.count) }

  /// As many numbers as the rows of the first port have in a block, without gaps between the rows.
  func numbers(_ frames: Int) -> UnsafeMutableBufferPointer<Float> {
    let count = ports[0].rows * (ports[0].rowLength ?? frames)
    return unsafe UnsafeMutableBufferPointer(start: memory.baseAddress! + ports[0].start, count: count)
  }
}
