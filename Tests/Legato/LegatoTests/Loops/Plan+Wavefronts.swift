// SPDX-License-Identifier: Apache-2.0

import GraphPlanning

extension Plan {
  /// How many wavefronts there are while parameters stand still.
  var wavefronts: Int {
    schedules.steps.compactMap(\.settled?.schedule).reduce(0) { $0 + Self.wavefronts(in: $1) }
  }

  private static func wavefronts(in schedule: Schedule) -> Int {
    let own = if case .wavefront = schedule { 1 } else { 0 }
    return schedule.kernels.reduce(own) { $0 + wavefronts(in: $1) }
  }
}
