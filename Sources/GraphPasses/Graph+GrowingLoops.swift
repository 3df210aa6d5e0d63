// SPDX-License-Identifier: Apache-2.0

package import GraphIR

extension Graph {
  /// A warning for each loop that grows without end while parameters stand at their defaults. What no output depends
  /// on is not looked at.
  package var growingLoops: [PassNote] { growingLoops(settingParameters: parameters.map(\.initial)) }

  /// The same while parameters stand at other values, one for each.
  package func growingLoops(settingParameters values: [Float]) -> [PassNote] {
    canonical().allGrowingLoops(settingParameters: values)
  }

  private func allGrowingLoops(settingParameters values: [Float]) -> [PassNote] {
    let components = components()
    guard components.contains(where: isCycle) else { return [] }
    let resting = RestingValues(
      self, of: components.filter { !isCycle($0) }.flatMap(\.self), settingParameters: values)
    let setting = values == parameters.map(\.initial) ? "at their defaults" : "as set"
    return components.compactMap { component in
      guard isCycle(component),
        let shares = LoopShares(of: component, in: self, resting), let growth = LoopGain(shares).growth
      else { return nil }
      return warning(of: component, growth, parameters: shares.dependsOnParameters ? setting : nil)
    }
  }

  private func warning(
    of loop: [NodeID], _ growth: (frames: Int, gain: Double), parameters setting: String?
  ) -> PassNote {
    let results = loop.map { self[$0].result }.sorted()
    // In the order in which they are written.
    func line(_ value: ValueID) -> (Int, Int) { origins.places[value].map { ($0.line, $0.column) } ?? (0, 0) }
    let named = results.filter { origins.names[$0] != nil }.sorted { line($0) < line($1) }
    let others = named.dropFirst().prefix(3).compactMap { origins.names[$0].map(quoted) }
    let way = others.isEmpty ? "" : " by way of \(others.joined(separator: ", "))"
    let moment =
      switch clock {
      case .stream: growth.frames == 1 ? "a frame" : "\(growth.frames) frames"
      case .step: growth.frames == 1 ? "a step" : "\(growth.frames) steps"
      }
    return PassNote(
      .warning, of: named.first ?? results[0], in: self,
      "\(setting.map { "with the parameters \($0), " } ?? "")this hears itself\(way) with a gain of "
        + "\(rounded(growth.gain)) after \(moment), and grows until it is no number; keep the gain below 1, or bound "
        + "it with limit(x, level)")
  }

  /// A number above 1, rounded down to four digits where they say so; 1.01 as a float lies below it by 1e-8.
  private func rounded(_ gain: Double) -> String {
    let short = (gain * 1e4 + 0.01).rounded(.down) / 1e4
    return written(short > 1 ? short : gain)
  }
}
