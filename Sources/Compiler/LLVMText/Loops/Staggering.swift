// SPDX-License-Identifier: Apache-2.0

/// The vectors of a stage, each of them some steps behind the one before it.
///
///     side by side      a0 a1 a2 a3   b0 b1 b2 b3   c0 c1 c2 c3   d0 d1 d2 d3 …
///     staggered by 2    a0   b0   c0 a1   d0 b1   e0 c1 a2   f0 d1 b2   g0 e1 c2 a3 …
///
/// Side by side all vectors come to their divisions at once, and all are alive in their widest places at once. What
/// is staggered divides all the time, and takes fewer registers.
///
/// It is legal as long as a step of a vector uses earlier steps only, of the same vector or of all: these stand
/// before it in either order. LLVM's verifier would refuse anything else.
struct Staggering {
  /// Steps from each vector to the next.
  private static let lag = 2

  /// The pieces of text of each moment.
  private var moments: [[String]] = []
  private var step = 0

  /// Adds what one vector does in this step; nil: what is done for all vectors, in a step of its own.
  mutating func add(_ pieces: [String], vector: Int?) {
    if vector ?? 0 == 0 { step += 1 }
    let moment = step + Self.lag * (vector ?? 0)
    while moments.count <= moment { moments.append([]) }
    moments[moment] += pieces
  }

  var pieces: [String] { Array(moments.joined()) }
}
