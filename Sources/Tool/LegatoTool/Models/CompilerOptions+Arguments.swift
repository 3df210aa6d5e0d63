// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato

extension CompilerOptions {
  /// The options of `--target`, `--cpu`, `--optimize`, `--passes` and `--stop-after`.
  ///
  /// - Parameter keepsCode: whether code is kept; not where what is asked for is about the compiler.
  init(_ arguments: Arguments, keepsCode: Bool = false) throws(Failure) {
    self.init()
    self.keepsCode = keepsCode
    if let triple = arguments.value(of: .target) {
      guard let usual = Self.cpus(ofTriple: triple).first else {
        throw .usage(
          "--target takes x86_64 or aarch64 with linux or none, such as aarch64-linux-gnu, not \(quoted(triple))"
        )
      }
      self.triple = triple
      cpu = usual
    }
    if let name = arguments.value(of: .cpu) {
      let choices = triple.map(Self.cpus(ofTriple:)) ?? Self.cpus
      guard choices.contains(name) else {
        let machine = triple.map { " with --target \($0)" } ?? ""
        throw .usage("--cpu takes \(alternatives(choices))\(machine), not \(quoted(name))")
      }
      cpu = name
    }
    goal = try arguments.choice(.optimize, Goal.allCases.map { ($0.rawValue, $0) }) ?? .speed
    if let list = arguments.value(of: .passes) {
      disabled = try Failure.at("--passes: ") { () throws(RequestError) in try Self.disabled(by: list) }
    }
    stopAfter = try arguments.integer(.stopAfter, in: 0...1_000_000_000)
  }
}
