// SPDX-License-Identifier: Apache-2.0

extension Graph {
  /// Cycles that have no meaning, and what each is: those that look ahead at themselves; of the others, those with no
  /// delay in them.
  func meaninglessCycles() -> [(nodes: [NodeID], flaw: String)] {
    let ahead = cyclesLookingAhead()
    let nodesAhead = Set(ahead.joined())
    return ahead.map { ($0, "a cycle that looks ahead at itself; take lookahead out of the cycle") }
      + cyclesWithoutDelay().filter { !nodesAhead.contains($0[0]) }.map { cycle in
        mayDelay(cycle)
          ? (cycle, Self.mayReadThePresent)
          : (cycle, flaw(ofSequence: cycle) ?? "a cycle without a delay; put delay(…, 1) into it")
      }
  }

  /// The cycles that look ahead at themselves, which cannot be computed.
  private func cyclesLookingAhead() -> [[NodeID]] {
    guard looksAhead else { return [] }
    return components().filter { isCycle($0) && $0.contains { self[$0].op.isLookahead } }
  }

  private func cyclesWithoutDelay() -> [[NodeID]] {
    components(cuttingDelays: true).filter { component in
      let node = self[component[0]]
      if (try? SequenceCycle(component, in: self)) != nil, isCycle(component) { return false }
      return component.count > 1 || node.operands.dropFirst(node.op.isDelay ? 1 : 0).contains(node.result)
    }
  }

  /// The fault of a cycle through shifts; nil for a cycle without shifts.
  private func flaw(ofSequence cycle: [NodeID]) -> String? {
    let shifts = cycle.contains { if case .shift = self[$0].op { true } else { false } }
    guard shifts else { return nil }
    guard clock == .step else {
      return "a cycle through shifted is for models of steps; put delay(…, 1) into it"
    }
    do throws(TypingError) {
      _ = try SequenceCycle(cycle, in: self)
      return nil
    } catch {
      return error.description
    }
  }

  private static let mayReadThePresent =
    "a cycle whose delay may read the present frame; give it a minimum of 1 or more, of 2 or more with allpass "
    + "interpolation"

  /// Whether a cycle with no delay in it goes through one by a signal that may be of 0 frames.
  private func mayDelay(_ cycle: [NodeID]) -> Bool {
    let members = Set(cycle)
    return cycle.contains { id in
      self[id].op.leastDelay == 0 && members.contains(self[self[id].operands[0]].definition)
    }
  }
}
