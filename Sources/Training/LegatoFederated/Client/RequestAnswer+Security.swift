// SPDX-License-Identifier: Apache-2.0

internal import Legato

extension RequestAnswer {
  func refuseWeights() throws(FederatedError) {
    guard security == nil else {
      throw .unsupported(
        "this device gives its weights in a secure aggregation (SecAggPlusWorkflow) only; the first weights are for the "
          + "strategy to give (initial_parameters)")
    }
  }

  func refuseScores() throws(FederatedError) {
    guard security?.judges != false else {
      throw .unsupported(
        "this device tells no scores, which would go in the clear; the strategy is to leave out its evaluation "
          + "(fraction_evaluate=0.0), or to judge at the server (evaluate_fn)")
    }
  }

  /// The answer to a stage of a secure aggregation. An error ends the aggregation on this device.
  mutating func secureAnswer(
    _ asked: ValueRecord, _ records: RecordDict, _ configuration: RoundConfiguration, _ node: UInt64
  ) throws -> Served {
    guard let security else {
      throw FederatedError.unsupported(
        "the server asks for a secure aggregation (SecAgg+), and this device was started without --secure-aggregation"
      )
    }
    let stage = try SecureStage(asked)
    let current = secureRound
    secureRound = nil
    func served(
      _ values: ValueRecord, _ items: [RecordDict.Item] = [], _ result: FederatedResult? = nil,
      reason: String? = nil
    ) -> Served {
      let all = RecordDict(items + [.init(SecureStage.record, .config(values))])
      return Served(
        content: .records(all), result: result, configuration: configuration, stage: stage, reason: reason)
    }
    if stage == .setup {
      if let fixed = client.parameters.first(where: { !$0.isUpdatable }) {
        throw FederatedError.unsupported(
          "a secure aggregation cuts numbers, and tells them in steps: '\(fixed.name)' of this device, which does not learn, would "
            + "come back as another one; let what does not learn stay on the devices")
      }
      let round = try SecureRound(asked, node: node, fewest: security.fewest)
      secureRound = round
      return served(
        round.publicKeys,
        reason: current.map { _ in
          "the secure aggregation before has come to no sum, since the server or another device has left it; it does not count as "
            + "a round"
        })
    }
    guard var round = current else { throw SecureRound.outOfTurn(stage) }
    switch stage {
    case .shareKeys:
      let tokens = try round.shareKeys(asked, node: node)
      secureRound = round
      return served(tokens)
    case .collectMaskedVectors:
      try round.open(asked, node: node)
      let (_, arrays, isOld) = try given(records, old: "fitins.parameters")
      guard isOld else {
        throw FederatedError.unsupported(
          "a secure aggregation is one of old strategies (fitins.parameters), as SecAggPlusWorkflow asks")
      }
      let result = try learned(arrays, configuration)
      let common = round.common(records)
      let masked = try round.masked(result, of: common)
      secureRound = round
      var rest = result
      // Scores at weights of the server's choice would tell of the examples. Of what the server has sent it learns nothing by a
      // hash, and its program sees whether all were sent the same: 48 bits, which a number of metrics holds.
      rest.metrics = ["sent-hash": Double(Int(common.prefix(12), radix: 16)!)]
      var answer = served(masked, Self.oldFit(rest, []).items, result)
      answer.neighbours = round.met
      return answer
    case .setup, .unmask: return served(try round.unmask(asked, node: node))
    }
  }
}
