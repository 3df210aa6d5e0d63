// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

extension Option {
  static let rate = Option(
    "rate", value: "HERTZ", "frames per second (default: the one that the model states, or 48000)")
}

extension Model {
  /// The rate that `--rate` asks for, or the model's own.
  ///
  /// - Parameter asked: what the command line says; nil for nothing.
  func rate(asked: Int?) throws(Failure) -> Int {
    guard let stated = sampleRate.map({ Int($0) }) else { return asked ?? 48_000 }
    guard asked ?? stated == stated else {
      throw .usage(
        "--rate \(asked ?? 0): \(quoted(name)) is for \(stated) Hz, as \(printablePath(fileOfSampleRate ?? name)) states; "
          + "leave --rate out")
    }
    return stated
  }
}
