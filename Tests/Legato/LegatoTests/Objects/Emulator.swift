// SPDX-License-Identifier: Apache-2.0

import Foundation
import GraphPlanning
import NativeCode

/// The runner of programs for 64-bit Arm: the machine itself, or an emulator that `.ci/setup` installs.
enum Emulator {
  static let names = ["qemu-aarch64", "qemu-aarch64-static"]

  /// The command before a program's name; empty where none is needed or there is none.
  static let command: [String] = {
    let folders = (ProcessInfo.processInfo.environment["PATH"] ?? "").split(separator: ":")
    let paths = names.flatMap { name in folders.map { "\($0)/\(name)" } }
    return paths.first(where: FileManager.default.isExecutableFile).map { [$0] } ?? []
  }()

  static let runsAArch64 = (try? Target.aarch64.runsHere) == true || !command.isEmpty
}
