// SPDX-License-Identifier: Apache-2.0

public import Legato

/// A request to run a model of steps on arrays and pictures of files.
///
///     var request = StepRequest(inputs: ["picture=cat.png"])
///     request.outputs = ["scores.npy"]
///     let result = try StepJob(Model(contentsOf: "classifier.json"), request).run()
public struct StepRequest: Sendable {
  /// The files that go in: `FILE`, or `NAME=FILE` for one of several inputs, with `:ENTRY` where the file calls it otherwise.
  /// Arrays are files of NumPy (.npy, .npz) or safetensors; pictures are PNG or JPEG.
  public var inputs: [String]
  /// The files that get what comes out: an .npz with all outputs, an .npy with the only one, or `NAME=FILE` for one of several.
  public var outputs: [String] = []
  /// Files of what should come out, called as those of `inputs`.
  public var expectations: [String] = []
  /// How far a number may be from the expected one.
  public var tolerance = 1e-5
  /// How pictures become the numbers of inputs, where the model does not say it.
  public var images: [String: ImageForm] = [:]
  /// How long named axes are that no array says it of.
  public var extents: [String: Int] = [:]
  /// How many steps are run; nil for as many as the arrays have, or one.
  public var steps: Int?
  /// How many labels of a classifier's largest numbers are wanted; nil for none.
  public var top: Int?
  /// Files with a label in each line, `FILE` or `NAME=FILE` of one output, where the model has none; of use with `top` only.
  public var labels: [String] = []
  /// Whether files may be replaced.
  public var replacesExisting = false
  /// How the model is compiled.
  public var compiler = CompilerOptions()

  /// A request for one step, or as many as the arrays have.
  public init(inputs: [String] = []) { self.inputs = inputs }
}

/// The names of the parts of a request in messages: those of the options of `legato run`, without dashes.
extension RequestError.Name {
  static let input = Self(rawValue: "input")
  package static let output = Self(rawValue: "output")
  package static let expect = Self(rawValue: "expect")
  package static let image = Self(rawValue: "image")
  package static let labels = Self(rawValue: "labels")
  static let tolerance = Self(rawValue: "tolerance")
  static let top = Self(rawValue: "top")
  static let bind = Self(rawValue: "bind")
}
