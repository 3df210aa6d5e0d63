// SPDX-License-Identifier: Apache-2.0

extension KernelGraph {
  /// How many walks read each place.
  package var readersOfPlaces: [Location: Int] {
    var readers: [Location: Int] = [:]
    for kernel in allKernels {
      for access in kernel.accesses.reads { readers[access.location, default: 0] += 1 }
    }
    return readers
  }
}
