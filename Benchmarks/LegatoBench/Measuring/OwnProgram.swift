// SPDX-License-Identifier: Apache-2.0

internal import Foundation

/// The program that runs.
enum OwnProgram {
  static let file = URL(fileURLWithPath: "/proc/self/exe").resolvingSymlinksInPath()
}
