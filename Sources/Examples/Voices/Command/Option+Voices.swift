// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface

/// The options of `legato-voices`.
extension Option {
  static let folder = Option(
    "folder", value: "DIR", "where voices are kept, in place of ~/.local/share/legato-voices")
  static let shared = [folder, help]

  static let input = Option("input", value: "FILE", "a sound file instead of the microphone")
  static let seconds = Option(
    "seconds", value: "N", "how long (record: 10; identify: until it is ended)")
  static let add = Option("add", "one more recording of somebody who is known")
  static let epochs = Option("epochs", value: "N", "how often all of it is seen (3)")
  static let rate = Option("rate", value: "R", "the rate of learning (0.01)")
  static let seed = Option("seed", value: "N", "says the order of the examples (1)")
  static let threshold = Option(
    "threshold", value: "P", "below this probability it is nobody who is known (0.6)")
  static let device = Option("device", value: "NAME", "the microphone, as ALSA calls it (default)")
  static let output = Option("output", letter: "o", value: "FILE", "a file .json, or .onnx")
  static let plain = Option("plain", "lines, also on a terminal")
  static let force = Option("force", "replace a file that is there")
  static let json = Option("json", "as JSON, a line each")
}
