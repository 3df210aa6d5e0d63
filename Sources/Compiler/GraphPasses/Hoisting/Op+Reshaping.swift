// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// The region that a reshape has to read for a region of its result.
///
///     [8, 2, 3] → [8, 6]      axis 0 and axis 0, axes 1, 2 and axis 1: two groups of axes with as many numbers
///     [12] → [3, 4]           one group: whole rows of 4
///
/// Axes of one position are left out of account. A group of one axis on either side passes any range. Of another one
/// whole rows pass: ranges of the first axis that begin and end at the same number on both sides. What is left of the
/// reshape then may be simpler, such as one row, and is looked at again.
func reshaped(_ wanted: Region, _ source: Shape, _ result: Shape) -> Narrowing {
  let outer = passedRows(wanted, source, result)
  guard outer.region != wanted, !outer.region.isWhole(of: result), let read = outer.reads[0] else {
    return outer
  }
  let (begin, first) = (outer.region.ranges.map(\.lowerBound), read.ranges.map(\.lowerBound))
  var inner = reshaped(wanted.moved(by: begin.map { -$0 }), Shape(read.extents), Shape(outer.region.extents))
  inner.region = inner.region.moved(by: begin)
  inner.reads = inner.reads.map { $0?.moved(by: first) }
  return inner
}

private func passedRows(_ wanted: Region, _ source: Shape, _ result: Shape) -> Narrowing {
  var region = wanted
  var read = Region(whole: source)
  let from = source.fixed.indices.filter { source.fixed[$0] > 1 }
  let to = result.fixed.indices.filter { result.fixed[$0] > 1 }
  var (i, j) = (0, 0)
  while i < from.count, j < to.count {
    var (a, b) = (source.fixed[from[i]], result.fixed[to[j]])
    let (firstSource, firstResult) = (from[i], to[j])
    var (rowOfSource, rowOfResult) = (1, 1)
    var inner: [Int] = []
    while a != b {
      if a < b {
        i += 1
        a *= source.fixed[from[i]]
        rowOfSource *= source.fixed[from[i]]
      } else {
        j += 1
        b *= result.fixed[to[j]]
        rowOfResult *= result.fixed[to[j]]
        inner.append(to[j])
      }
    }
    (i, j) = (i + 1, j + 1)
    let isCut = ([firstResult] + inner).contains { region.ranges[$0].count < result.fixed[$0] }
    guard isCut else { continue }
    for axis in inner { region.ranges[axis] = 0..<result.fixed[axis] }
    // Numbers at which rows of both sides begin.
    let step = rowOfSource / greatestCommonDivisor(rowOfSource, rowOfResult) * rowOfResult
    let rows = wanted.ranges[firstResult]
    let first = rows.lowerBound * rowOfResult / step * step
    let end = (rows.upperBound * rowOfResult + step - 1) / step * step
    region.ranges[firstResult] = first / rowOfResult..<end / rowOfResult
    read.ranges[firstSource] = first / rowOfSource..<end / rowOfSource
  }
  return Narrowing(
    region: region, op: region.extents == read.extents ? nil : .reshape(region.extents), reads: [read],
    obstacle: region == wanted ? nil : "a reshape passes whole rows only")
}

private func greatestCommonDivisor(_ a: Int, _ b: Int) -> Int {
  var (a, b) = (a, b)
  while b != 0 { (a, b) = (b, a % b) }
  return a
}
