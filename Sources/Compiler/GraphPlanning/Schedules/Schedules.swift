// SPDX-License-Identifier: Apache-2.0

/// The code of a whole plan: a schedule for each kernel, and for each variant of it.
package struct Schedules: Sendable {
  /// A schedule, and what the parameters may do while it runs.
  package struct Code: Sendable {
    package let variant: Variant
    package let schedule: Schedule

    package init(variant: Variant, schedule: Schedule) {
      self.variant = variant
      self.schedule = schedule
    }
  }

  /// A kernel that runs for each tile or step.
  package struct Step: Sendable {
    /// What runs while all parameters stand still; nil where that is nothing.
    package let settled: Code?
    /// What runs while parameters change from frame to frame; nil where that is the same code.
    package let timeVarying: Code?
    /// Whether what the kernel computes follows parameters.
    package let followsParameters: Bool

    fileprivate init(settled: Code?, timeVarying: Code? = nil, followsParameters: Bool) {
      self.settled = settled
      self.timeVarying = timeVarying
      self.followsParameters = followsParameters
    }
  }

  /// What runs when a stepped parameter has changed.
  package let blockCodes: [Code]
  /// What runs when the last ramp has landed; nil where that is nothing.
  package let settling: Code?
  package let steps: [Step]

  /// - Parameter isPlain: Whether only that is chosen that is legal for every kernel.
  init(_ kernels: KernelGraph, for target: Target, _ goal: Goal, isPlain: Bool) {
    let readers = kernels.readersOfPlaces
    func code(_ kernel: Kernel, _ variant: Variant, isIdleWhileSettled: Bool = false) -> Code {
      let scheduling = Scheduling(
        kernels: kernels, target: target, goal: goal, variant: variant, readers: readers, isPlain: isPlain,
        isIdleWhileSettled: isIdleWhileSettled)
      return Code(variant: variant, schedule: scheduling.schedule(kernel))
    }
    blockCodes = kernels.blockKernels.map { code($0, .settled) }
    switch goal {
    case .speed:
      settling = kernels.settling.map { code(.map($0), .settled) }
      steps = zip(kernels.kernels, kernels.kernelsWhileSettled).map { kernel, settled in
        let hasVariants = kernels.hasVariants(kernel)
        return Step(
          settled: settled.map { code($0, .settled) },
          timeVarying: hasVariants
            ? code(kernel, .timeVarying, isIdleWhileSettled: settled == nil) : nil,
          followsParameters: hasVariants)
      }
    // A parameter that stands still is a ramp without a slope: one code will do, with the same bits.
    case .size:
      settling = nil
      steps = kernels.kernels.map { kernel in
        let hasVariants = kernels.hasVariants(kernel)
        return Step(
          settled: code(kernel, hasVariants ? .timeVarying : .settled), followsParameters: hasVariants)
      }
    }
  }

  /// The most frames beside rows that any of them reads.
  package var framesBeside: Int { all.map(\.framesBeside).max() ?? 0 }

  /// Each schedule, whenever it runs.
  package var all: [Schedule] {
    let ofSteps = steps.flatMap { [$0.settled, $0.timeVarying] }
    return (blockCodes + ([settling] + ofSteps).compactMap(\.self)).map(\.schedule)
  }
}
