// SPDX-License-Identifier: Apache-2.0

/// The code of a whole plan: a schedule for each kernel, and for each variant of it.
package struct Schedules: Sendable {
  /// A schedule, and the variant of the parameters for which it runs.
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
    /// The code for settled parameters; nil where nothing runs.
    package let settled: Code?
    /// The code for time-varying parameters; nil where the settled code serves both.
    package let timeVarying: Code?
    /// Whether what the kernel computes follows parameters.
    package let followsParameters: Bool

    fileprivate init(settled: Code?, timeVarying: Code? = nil, followsParameters: Bool) {
      self.settled = settled
      self.timeVarying = timeVarying
      self.followsParameters = followsParameters
    }
  }

  /// The code that runs when a stepped parameter, or an array parameter, has changed.
  package let blockCodes: [Code]
  /// The code that runs when the last ramp has landed; nil where there is nothing to compute.
  package let settling: Code?
  package let steps: [Step]

  /// - Parameter isPlain: Whether only that is chosen that is legal for every kernel.
  init(_ kernels: KernelGraph, for target: Target, _ goal: Goal, isPlain: Bool) {
    let readers = kernels.readersOfPlaces
    func code(_ kernel: Kernel, _ variant: Variant) -> Code {
      let scheduling = Scheduling(
        kernels: kernels, target: target, goal: goal, variant: variant, readers: readers, isPlain: isPlain)
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
          timeVarying: hasVariants ? code(kernel, .timeVarying) : nil,
          followsParameters: hasVariants)
      }
    // A settled parameter is a ramp without a slope: one code will do, with the same bits.
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
