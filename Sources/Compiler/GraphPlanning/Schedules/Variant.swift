// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// One of the two codes of a kernel that follows parameters.
package enum Variant: String, Hashable, Sendable {
  /// All parameters are settled: values that depend on parameters only are single numbers.
  case settled
  /// At least one parameter changes from frame to frame.
  case timeVarying
}

extension KernelGraph {
  /// Whether a parameter may change from frame to frame while a code runs.
  package func varies(_ parameter: Int, in variant: Variant) -> Bool {
    variant == .timeVarying && graph.parameters[parameter].rampFrames > 0
  }

  /// Whether what an access reads may change so, because it is such a parameter.
  package func varies(_ access: Access, in variant: Variant) -> Bool {
    if case .parameter(let index) = access.location { varies(index, in: variant) } else { false }
  }

  /// Whether a number is computed from time-varying parameters where it is used; else it was computed beforehand.
  package func isTimeVarying(_ value: ValueID, in variant: Variant) -> Bool {
    variant == .timeVarying && uniform.contains(value)
  }

  /// Whether a kernel's code for time-varying parameters differs from that for settled ones.
  func hasVariants(_ kernel: Kernel) -> Bool {
    switch kernel {
    // What goes along channels has its numbers from memory.
    case .map(let map) where map.space.inner != .frames: false
    case .map(let map):
      map.nodes.contains { uniform.contains(graph[$0].result) }
        || map.loads.contains { uniform.contains($0.key) || mayVary($0.value) }
    case .fold(let fold): hasVariants(.map(fold.epilogue))
    case .sample(let sample): mayVary(sample.source)
    case .cycle(let cycle): cycle.kernels.contains(where: hasVariants)
    }
  }

  private func mayVary(_ access: Access) -> Bool {
    graph.clock == .stream && varies(access, in: .timeVarying)
  }
}
