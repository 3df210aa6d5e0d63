// SPDX-License-Identifier: Apache-2.0

package import GraphIR
package import GraphPasses

extension Graph {
  /// A warning for each loop that grows without end while parameters stand at some values. What no output depends on
  /// is not looked at.
  ///
  /// - Parameter values: One for each parameter.
  package func growingLoops(settingParameters values: [Float]) -> [PassNote] {
    canonical().allGrowingLoops(settingParameters: values)
  }

  private func allGrowingLoops(settingParameters values: [Float]) -> [PassNote] {
    let components = components()
    guard components.contains(where: isCycle) else { return [] }
    let resting = RestingValues(
      self, of: components.filter { !isCycle($0) }.flatMap(\.self), settingParameters: values)
    return components.compactMap { component in
      guard isCycle(component),
        let shares = LoopShares(of: component, in: self, resting),
        let growth = shares.parts.compactMap({ LoopStability($0).growth }).max(by: { $0.gain < $1.gain })
      else { return nil }
      let isTurned = shares.parameters.contains { values[$0] != parameters[$0].initial }
      let setting = isTurned ? "as set" : "at their defaults"
      return warning(of: component, growth, parameters: shares.parameters.isEmpty ? nil : setting)
    }
  }

  private func warning(
    of loop: [NodeID], _ growth: LoopGrowth, parameters setting: String?
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
    // Feedback within a function cannot be bounded from outside.
    let isFilter =
      named.count <= 1 && results.allSatisfy { origins.functions[$0] != nil || $0 == named.first }
    let remedy =
      isFilter
      ? "choose other coefficients: its poles lie outside of the unit circle"
      : "keep the gain below 1, or bound what goes around with limit(x, level)"
    return PassNote(
      .warning, of: named.first ?? results[0], in: self,
      "\(setting.map { "with the parameters \($0), " } ?? "")this feeds back\(way)"
        + (growth.gain > 1 ? " with a gain of \(rounded(growth.gain))" : "")
        + "\(pitch(of: growth)) after \(moment), and grows until it is no number; \(remedy)")
  }

  /// The frequency of a loop that oscillates while it grows, as the end of a sentence.
  private func pitch(of growth: LoopGrowth) -> String {
    let hertz = growth.frequency / (2 * .pi) * sampleRate
    guard clock == .stream, hertz >= 0.05 else { return "" }
    return " at \(written(hertz < 100 ? (hertz * 10).rounded() / 10 : hertz.rounded())) Hz"
  }

  /// A number above 1, rounded down to four digits, or to as many as say so; 1.01 as a float lies below it by 1e-8.
  private func rounded(_ gain: Double) -> String {
    var scale = 1e4
    while scale < 1e9, (gain - 1) * scale < 10 { scale *= 10 }
    return written((gain * scale + 0.01).rounded(.down) / scale)
  }
}
