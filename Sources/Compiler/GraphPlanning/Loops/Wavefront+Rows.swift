// SPDX-License-Identifier: Apache-2.0

/// One loop alone, of which each row goes in a lane.
extension Wavefront {
  /// The fewest rows in lanes that are faster than numbers side by side.
  static let leastRowsInLanes = 8
  /// The largest code for as many frames as there are lanes, in vector instructions, roughly.
  private static let mostCodeOfTile = 1000

  /// How many rows run in lanes at once, a vector's at most; nil where rows side by side are faster.
  func rowsInLanes(of target: Target, frames: Int) -> Int? {
    var lanes = target.lanes
    while lanes > rows { lanes /= 2 }
    // Five instructions for each row of what comes in and goes out: it is moved, and transposed in four steps at most.
    let moved = 5 * (streams + stores.count)
    let isWorthwhile = lanes >= Self.leastRowsInLanes && frames >= lanes
    return isWorthwhile && (cost + moved) * lanes <= Self.mostCodeOfTile ? lanes : nil
  }
}
