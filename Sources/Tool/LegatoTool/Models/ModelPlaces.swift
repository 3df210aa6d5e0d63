// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR

/// The paths of a model file and its weights: two names that differ in the ending.
struct ModelPlaces {
  let model: String
  let weights: String

  /// - Parameter output: as --output says it.
  init(output: String) throws(Failure) {
    guard output.hasSuffix(".json"), output != ".json", !output.hasSuffix("/.json") else {
      throw .usage("--output takes a file whose name ends in .json, such as amp.json, not \(quoted(output))")
    }
    model = output
    weights = output.dropLast(".json".count) + ".safetensors"
  }

  /// - Parameter source: the file that gives its name, in the current folder, where no output is said.
  init(output: String?, source: String) throws(Failure) {
    let file = PathText.name(of: source)
    try self.init(output: output ?? (file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]) + ".json")
  }
}
