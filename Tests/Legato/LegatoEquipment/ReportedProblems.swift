// SPDX-License-Identifier: Apache-2.0

package import Legato

/// The errors of a model that is made or compiled, one line each; none where all is well.
package func reportedProblems(_ body: () throws -> Void) -> [String] {
  do {
    try body()
    return []
  } catch ModelError.invalid(let problems) {
    return problems.map(\.description)
  } catch {
    return ["\(error)"]
  }
}

package func reportedProblems(of builder: GraphBuilder) -> [String] {
  reportedProblems { _ = try builder.compile() }
}
