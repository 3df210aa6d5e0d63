// SPDX-License-Identifier: Apache-2.0

import GraphPlanning

extension Plan {
  /// How many wavefronts there are among its kernels.
  var wavefronts: Int { wavefronts(in: kernelGraph.kernels, frames: Plan.tileFrames) }

  /// Wavefronts among kernels that go through so many frames at a time.
  private func wavefronts(in kernels: [Kernel], frames: Int) -> Int {
    kernels.reduce(0) { count, kernel in
      guard case .cycle(let cycle) = kernel else { return count }
      guard cycle.span == 1 else { return count + wavefronts(in: cycle.kernels, frames: cycle.span) }
      return Wavefront(cycle, in: self, frames: frames) == nil ? count : count + 1
    }
  }
}
