// SPDX-License-Identifier: Apache-2.0

import GraphPlanning
import NativeCode

extension Target {
  static let levels = ["x86-64", "x86-64-v3", "x86-64-v4"]

  /// The levels that the machine at hand executes; says once which are left out.
  static let runnableLevels: [String] = levels.filter { name in
    guard let level = Target.x86(level: name), (try? level.runsHere) == true else {
      print("skipped: this machine does not execute \(name)")
      return false
    }
    return true
  }

  static let runnable: [Target] = runnableLevels.compactMap(Target.x86(level:))
}
