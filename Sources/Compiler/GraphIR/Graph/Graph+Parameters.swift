// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// The positions of parameters that change nothing: no output is computed of them, by whatever way.
  ///
  ///     parameter drive, tone
  ///     bright = x * tone
  ///     y = x * drive            tone: what reads it is not read
  ///     output y = y
  package var idleParameters: [Int] {
    let read = Set(
      canonical().nodes.compactMap { node -> Int? in
        guard case .parameter(let index) = node.op.given else { return nil }
        return index
      })
    return parameters.indices.filter { !read.contains($0) }
  }
}
