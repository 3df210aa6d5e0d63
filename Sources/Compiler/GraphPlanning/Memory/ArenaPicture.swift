// SPDX-License-Identifier: Apache-2.0

/// The live ranges of the arena's buffers and windows: a row for each, and a column for each kernel.
///
///     kernel      0             offset
///                 012345
///     buffer 0    ██                 0
///     buffer 2      ███              0     the memory of buffer 0 is used again
///     buffer 3        ██             0     in place: both are in use in kernel 4
///     buffer 1     ████           1024
///
/// Rows are in the order of memory, its offset at the right. More kernels than fit side by side go below each other,
/// with the buffers that are in use there.
struct ArenaPicture {
  /// Kernels side by side.
  private static let columns = 60
  private static let nameWidth = 12

  private let kernels: Int
  private let rows: [Row]

  private struct Row {
    let name: String
    let offset: Int
    let inUse: ClosedRange<Int>
  }

  init(_ plan: Plan) {
    kernels = plan.kernelGraph.kernels.count
    rows = plan.layout.liveRanges.compactMap { place, range in
      switch place {
      case .buffer(let id):
        Row(name: "buffer \(id.index)", offset: plan.layout.bufferOffsets[id.index], inUse: range)
      case .history(let id):
        plan.layout.windowOffsets[id].map { Row(name: "window \(id.index)", offset: $0, inUse: range) }
      case .input, .output, .weights, .parameter: nil
      }
    }.sorted { ($0.offset, $0.inUse.lowerBound, $0.name) < ($1.offset, $1.inUse.lowerBound, $1.name) }
  }

  /// Nothing where there are not several buffers.
  var lines: [String] {
    guard rows.count > 1 else { return [] }
    return stride(from: 0, to: kernels, by: Self.columns).flatMap { first in
      strip(first..<min(first + Self.columns, kernels))
    }
  }

  private func strip(_ columns: Range<Int>) -> [String] {
    let tens = stride(from: columns.lowerBound, to: columns.upperBound, by: 10).map {
      String($0).padded(to: 10)
    }.joined()
    let width = max(tens.count, columns.count)
    func line(_ name: String, _ cells: String, _ offset: String) -> String {
      name.padded(to: Self.nameWidth) + cells.padded(to: width) + offset.padded(to: 10, atEnd: false)
    }
    let units = columns.map { String($0 % 10) }.joined()
    return [line("kernel", tens, "offset"), "".padded(to: Self.nameWidth) + units]
      + rows.filter { $0.inUse.overlaps(columns) }.map { row in
        let cells = columns.map { row.inUse.contains($0) ? "█" : " " }.joined()
        return line(row.name, cells, "\(row.offset)")
      }
  }
}

extension String {
  /// With spaces behind it, or before it.
  fileprivate func padded(to width: Int, atEnd: Bool = true) -> String {
    let spaces = String(repeating: " ", count: max(0, width - count))
    return atEnd ? self + spaces : spaces + self
  }
}
