// SPDX-License-Identifier: Apache-2.0

/// A loop on its way into a wavefront, and how many walks read each place in the kernels that it was made of.
struct ChainedLoop {
  var map: MapKernel
  var reads: [Location: Int] = [:]

  init(_ map: MapKernel) {
    self.map = map
    note(map)
  }

  mutating func note(_ map: MapKernel) {
    for access in map.loads.values { reads[access.location, default: 0] += 1 }
  }
}
