// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// What a verification saw, in three groups: what is proved, what was tried, and what was measured.
struct Certificate {
  let model, cpu: String
  let isStream: Bool
  let channels, sampleRate: Int
  /// What was looked at, in the order in which it is shown.
  let findings: [Verification.Finding]

  /// The names of the promises that do not hold.
  var broken: [String] { findings.filter { $0.outcome == .broken }.map(\.name) }
}

extension Verification.Finding.Kind {
  /// What a group is worth.
  fileprivate var heading: String {
    switch self {
    case .proved: "proved: read from the code and the plan, for any input"
    case .tried: "tried: on signals, which may miss something"
    case .measured: "measured: on this machine, this once; it promises nothing"
    }
  }
}

extension Verification.Finding.Outcome {
  fileprivate var mark: String {
    switch self {
    case .holds: "ok"
    case .broken: "BROKEN"
    case .idle: "-"
    case .stated: ""
    }
  }
}

extension Console {
  /// A certificate as people read it.
  func text(_ certificate: Certificate) -> String {
    let clock =
      certificate.isStream
      ? "\(counted(certificate.channels, "channel")) at \(certificate.sampleRate) Hz" : "single steps"
    let title = "\(printable(certificate.model)), \(clock), on \(certificate.cpu)"
    // One table, so that all groups have the same columns.
    var lines = table(
      certificate.findings.map { [$0.outcome.mark, $0.name, $0.sentence] }
    ).split(separator: "\n", omittingEmptySubsequences: false)[...]
    var text = title + "\n"
    for kind in Verification.Finding.Kind.allCases {
      let count = certificate.findings.count { $0.kind == kind }
      guard count > 0 else { continue }
      text += "\n" + heading(kind.heading) + "\n" + lines.prefix(count).joined(separator: "\n") + "\n"
      lines = lines.dropFirst(count)
    }
    return text
  }
}

extension Certificate: Encodable {
  private enum CodingKeys: CodingKey {
    case model, cpu, clock, channels, sampleRate, passed, proved, tried, measured, lines
  }

  private struct Line: Encodable {
    let group, name, outcome, text: String
  }

  func encode(to encoder: any Encoder) throws {
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
