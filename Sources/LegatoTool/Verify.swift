// SPDX-License-Identifier: Apache-2.0

internal import Legato

extension Subcommand {
  static let verify = Subcommand(
    name: "verify", operands: "MODEL",
    summary: "proves what can be proved of the code, and tries the laws on it",
    explanation: """
      The code is made as for process, read again, and run on signals with its parameters moving. Each line says
      what is promised and what was seen. The exit code is 4 when a promise is broken.
      """,
    example: "legato verify models/bitcrusher.json --cpu x86-64-v3",
    options: [.channels, .rate, .json, .cpu, .optimize, .passes, .stopAfter]
  ) { arguments, console in
    let path = try arguments.operands("MODEL")[0]
    let channels = try arguments.integer(.channels, in: 1...65_536) ?? 1
    let rate = try arguments.integer(.rate, in: 1...16_000_000) ?? 48_000
    let options = try CompilerOptions(arguments)

    let model = try Model(contentsOf: path)
    let extents = Dictionary(uniqueKeysWithValues: model.symbols.map { ($0, channels) })
    let compilation = try model.compilation(extents: extents, sampleRate: Double(rate), options: options)
    for warning in compilation.warnings { console.notice(warning) }
    let checks = try Verification(compilation).checks()
    let report = VerificationReport(model: model.name, cpu: options.cpu, checks: checks)
    try console.print(arguments.has(.json) ? json(report) : report.table)
    let broken = checks.filter { !$0.passed }.map(\.name)
    guard broken.isEmpty else {
      throw Failure.unverified("\(path): \(broken.joined(separator: ", ")) failed")
    }
  }
}

/// What a verification saw.
private struct VerificationReport: Encodable {
  struct Line: Encodable {
    let name, figure: String
    let passed: Bool
  }

  let model, cpu: String
  let passed: Bool
  let checks: [Line]

  init(model: String, cpu: String, checks: [Verification.Check]) {
    self.model = model
    self.cpu = cpu
    self.checks = checks.map { Line(name: $0.name, figure: $0.figure, passed: $0.passed) }
    passed = checks.allSatisfy(\.passed)
  }

  var table: String {
    let width = checks.map(\.name.count).max() ?? 0
    return checks.map { check in
      let name = check.name.padding(toLength: width, with: " ")
      return "\(check.passed ? "ok    " : "BROKEN") \(name)  \(check.figure)\n"
    }.joined()
  }
}

extension String {
  fileprivate func padding(toLength length: Int, with character: Character) -> String {
    self + String(repeating: character, count: max(0, length - count))
  }
}
