// SPDX-License-Identifier: Apache-2.0

package import GraphIR

/// The reason why a valid graph gets no plan.
package enum PlanError: Error, Hashable, Sendable, CustomStringConvertible {
  /// Everything together takes more memory than a graph may have.
  case workspaceTooLarge(bytes: Int)
  /// Weights cannot be read any more.
  case weights(Numbers.Unavailable)

  package var description: String {
    switch self {
    case .workspaceTooLarge(let bytes):
      "the workspace would take \(bytes) bytes; \(Limits.workspaceBytes) are the most: shorten delays, or make "
        + "values, batches or windows smaller"
    case .weights(let reason): reason.message
    }
  }
}
