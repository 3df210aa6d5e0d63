// SPDX-License-Identifier: Apache-2.0

/// Followers of a signal: composed of arithmetic and a delay of one frame.
extension Function {
  static let followers: [Function] = [
    Function(
      name: "envelope", group: .followers, slots: [.value("x"), .value("attack"), .value("release")],
      meaning:
        "the level of x: rises to abs(x) with a time constant of attack and falls with one of release, in seconds; 0 is "
        + "at once"
    ) { (graph, call) throws(TypingError) in
      let operands = ["x", "attack", "release"].map(call.value)
      let (up, down) = (graph.share(ofSeconds: operands[1]), graph.share(ofSeconds: operands[2]))
      return try graph.recurrence(over: operands) { held in
        let way = Formula.abs(Formula(operands[0])) - held
        // Without a comparison: where rise and fall meet nothing jumps.
        return held + up * .max(way, 0) + down * .min(way, 0)
      }
    },
    Function(
      name: "slew", group: .followers, slots: [.value("x"), .value("up"), .value("down")],
      meaning: "x, which rises by at most up and falls by at most down in a second; it begins at 0"
    ) { (graph, call) throws(TypingError) in
      let operands = ["x", "up", "down"].map(call.value)
      let frame = Formula(1 / graph.graph.sampleRate)
      let up = Formula.max(Formula(operands[1]), 0) * frame
      let down = Formula.max(Formula(operands[2]), 0) * frame
      return try graph.recurrence(over: operands) { held in
        held + .max(.min(Formula(operands[0]) - held, up), 0 - down)
      }
    },
    Function(
      name: "sampleAndHold", group: .followers, slots: [.value("x"), .value("trigger")],
      meaning: "x where the trigger is not 0, else what it was there last; 0 before that"
    ) { (graph, call) throws(TypingError) in
      let operands = ["x", "trigger"].map(call.value)
      return try graph.recurrence(over: operands) { .select(Formula(operands[1]), Formula(operands[0]), $0) }
    },
  ]
}

extension GraphAssembler {
  /// The coefficient of a one-pole smoother with a time constant.
  ///
  ///     1 - exp(-1 / n) = 1 / (n + 1/2 - …)      n frames
  ///
  /// What is left out is less than 1 / 12 n; unlike the exponential this loses no bits where n is large.
  fileprivate func share(ofSeconds time: ValueID) -> Formula {
    1 / (Formula.max(Formula(time) * Formula(graph.sampleRate), 0.5) + 0.5)
  }
}
