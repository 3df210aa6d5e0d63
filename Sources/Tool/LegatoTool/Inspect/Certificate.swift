// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato

extension Verification.Finding.Kind {
  /// The heading of a group: how far its findings reach.
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
      ? "\(certificate.counts) at \(certificate.sampleRate) Hz" : "single steps"
    let title = "\(printable(certificate.model)), \(clock), on \(certificate.cpu)"
    // One table, so that all groups have the same columns.
    var lines = Self.table(
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
