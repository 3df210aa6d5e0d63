// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface

/// Options of several subcommands.
extension Option {
  static let version = Option("version", "the versions of Legato and of LLVM, and the CPU")
  static let json = Option("json", "prints JSON")
  static let markdown = Option("markdown", "prints the page of the documentation")
  static let cpu = Option(
    "cpu", value: "NAME",
    "the CPU that code is made for: host (default), x86-64, x86-64-v3, x86-64-v4 or aarch64")
  static let target = Option(
    "target", value: "TARGET",
    "of compile, the machine that code is made for, such as aarch64-linux-gnu, with any CPU; of capture, the sound that "
      + "the amplifier made of --input")
  static let optimize = Option(
    "optimize", value: "GOAL", "what code is made for: speed (default) or size; never changes the sound")
  static let passes = Option(
    "passes", value: "LIST",
    "the optimisations that run: all (default), none, "
      + "all but some: -fusion,-fma-formation, or some: fusion")

  static let stopAfter = Option(
    "stop-after", value: "N",
    "the most rewrites that all optimisations make: halving N finds one that is wrong")
}
