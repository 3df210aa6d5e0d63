// SPDX-License-Identifier: Apache-2.0

/// The findings of a verification, in three groups: what is proved, what was tried, and what was measured.
package struct Certificate {
  package let model, cpu: String
  package let isStream: Bool
  package let channels, sampleRate: Int
  /// The counts of its channels.
  package let counts: ChannelCounts
  /// In the order in which they are shown.
  package let findings: [Verification.Finding]

  package init(
    model: String, cpu: String, isStream: Bool, channels: Int, counts: ChannelCounts, sampleRate: Int,
    findings: [Verification.Finding]
  ) {
    (self.model, self.cpu, self.isStream) = (model, cpu, isStream)
    (self.channels, self.counts) = (channels, counts)
    (self.sampleRate, self.findings) = (sampleRate, findings)
  }

  /// The names of the promises that do not hold.
  package var broken: [String] { findings.filter { $0.outcome == .broken }.map(\.name) }
}

extension Certificate: Encodable {
  private enum CodingKeys: CodingKey {
    case model, cpu, clock, channels, sampleRate, passed, proved, tried, measured, lines
  }

  private struct Line: Encodable {
    let group, name, outcome, text: String
  }

  package func encode(to encoder: any Encoder) throws {
    var container = encoder.container(keyedBy: CodingKeys.self)
    try container.encode(model, forKey: .model)
    try container.encode(cpu, forKey: .cpu)
    try container.encode(isStream ? "stream" : "step", forKey: .clock)
    try container.encode(channels, forKey: .channels)
    try container.encode(sampleRate, forKey: .sampleRate)
    try container.encode(broken.isEmpty, forKey: .passed)
    let groups: [(Verification.Finding.Kind, CodingKeys)] = [
      (.proved, .proved), (.tried, .tried), (.measured, .measured),
    ]
    for (kind, key) in groups {
      let figures = findings.filter { $0.kind == kind }.reduce(into: [:]) { all, finding in
        all.merge(finding.figures) { first, _ in first }
      }
      if !figures.isEmpty { try container.encode(figures, forKey: key) }
    }
    let lines = findings.map {
      Line(group: $0.kind.rawValue, name: $0.name, outcome: $0.outcome.rawValue, text: $0.sentence)
    }
    try container.encode(lines, forKey: .lines)
  }
}
