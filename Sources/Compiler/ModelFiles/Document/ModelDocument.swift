// SPDX-License-Identifier: Apache-2.0

package import CaptureFiles
package import GraphIR
package import ImageFiles
package import JSONReading
package import TensorFiles

/// A model file, decoded and not believed.
///
///     model.json ─▶ ModelDocument ─▶ Graph
///
/// What a file says about itself holds: types, ranges, names, rectangular weights, one meaning for each name. What
/// takes knowledge of the ops is the importer's: expressions are text still, and the names in them may mean nothing.
/// Everything has its place in the file, for the messages that are yet to come.
package struct ModelDocument: Hashable, Sendable {
  /// The file as the user named it.
  package let file: String
  package let version: Int
  /// The name of the model; that of the file where the model does not say. Of a function, with its own behind it.
  package let name: String
  /// Nil where the model leaves it to be found out.
  package let clock: Clock?
  /// Nil where the model is for any rate.
  package internal(set) var sampleRate: SampleRate?
  /// Frames, or steps, that run in silence before the first one.
  package let prewarm: Int
  package let description: String?
  package let author: String?
  package let license: String?
  package var inputs: [Input]
  package let parameters: [Parameter]
  package let graph: [Definition]
  package let weights: [Weight]
  /// The file whose tensors are weights by their names.
  package let weightsFile: FileReference?
  package internal(set) var outputs: [Output]
  package let presets: [Preset]
  /// The levels that the model was made with.
  package let levels: Levels
  /// The function of its file that it is; nil where its file is one model.
  package internal(set) var function: String?
  /// The file of a function, as long as others of it may be wanted.
  var functionFile: FunctionFile?
  /// How the model learns; nil where its file does not say.
  package var training: Training?
  /// How the model takes a stream of readings; nil where its file does not say.
  package var listening: Listening?
  /// Of a capture, which was translated into what a model file would say, the rest of what it says; nil for a model file.
  package let capture: CaptureFacts?
  /// The same of a network of another framework.
  package let network: NetworkFacts?
  package var isCapture: Bool { capture != nil }
  /// The bytes of the file, as far as it is a model file.
  package internal(set) var source = SourceBytes()
  /// Whether the file is another program's and was translated.
  package var isTranslated: Bool { capture != nil || network != nil }

  package typealias Levels = Capture.Levels

  /// The facts about a capture that a model file has no words for.
  package struct CaptureFacts: Hashable, Sendable {
    /// All that it says about itself, as it stands there.
    package let metadata: String?
    /// Whether it has several sizes of its network.
    package let hasSizes: Bool
  }

  /// The facts about an ONNX file that a model file has no words for.
  package struct NetworkFacts: Hashable, Sendable {
    /// The files beside it that its numbers were read from, as messages call them.
    package let files: [String]
    /// The axes that it only names, and inputs of one integer, that have numbers.
    package let bound: [String]
    /// Inputs and outputs of one shape, which may be what it remembers, such as `h:hn`.
    package let pairs: [String]
    /// A note of what was read, and what was not; nil where there is nothing to be said.
    package let note: String?
    /// What is left to be translated once the axes of its inputs have numbers; nil where it is.
    package let open: OpenNetwork?
    /// The names that it has for inputs and outputs, by those that expressions can say, where they differ.
    package var originals: [String: String] = [:]
    /// The kinds of numbers that it declares of outputs.
    package var outputTypes: [String: DeclaredType] = [:]
    /// The steps of zeros that it notes for other states than those that are said.
    package var droppedPrewarm = 0
  }

  package enum Clock: String, CaseIterable, Sendable {
    case stream, step
  }

  /// The only rate that the model is for.
  package struct SampleRate: Hashable, Sendable {
    /// Frames, or steps, per second.
    package let hertz: Int
    package let place: Place
  }

  /// An audio signal, or a tensor, that the caller hands in.
  package struct Input: Hashable, Sendable {
    package let name: String
    package let place: Place
    package let shape: [ShapeEntry]
    /// The kind of its numbers, as a file of another framework declares it.
    package var type = DeclaredType.float32
    /// How a picture becomes the numbers of this input; nil where it takes none.
    package var image: ImageConversion?
    package let description: String?
    /// Whether pictures become other numbers than the file says.
    package var hasOtherForm = false
  }

  package struct ShapeEntry: Hashable, Sendable {
    package enum Extent: Hashable, Sendable {
      /// At least 1.
      case number(Int)
      /// "frames", "sampleRate", or a name that is bound on import.
      case symbol(String)
    }
    package let extent: Extent
    package let place: Place
  }

  /// A line of the graph: a name and the expression that it stands for.
  package struct Definition: Hashable, Sendable {
    package let name: String
    package let namePlace: Place
    /// The expression's text, and where each of its characters stands.
    package let expression: JSONString
  }

  /// Learned numbers, the last axis contiguous; a single number has the shape [].
  package struct Weight: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
      case numbers(shape: [Int], Numbers)
      case tensor(TensorReference)
      /// The impulse response in a sound file.
      case sound(FileReference)
    }

    package let name: String
    package let place: Place
    package let source: Source
  }

  /// A tensor of a file: "amp.safetensors:layer.weight".
  package struct TensorReference: Hashable, Sendable {
    /// As the model says it.
    package let file: String
    package let tensor: String
    package let place: Place
  }

  package struct FileReference: Hashable, Sendable {
    package let path: String
    package let place: Place
  }

  package struct Output: Hashable, Sendable {
    package let name: String
    package let place: Place
    /// What the numbers along its last axis stand for; nil where the model does not say.
    package var labels: Labels?
  }

  /// Names for the numbers of a classifier, in their order.
  package struct Labels: Hashable, Sendable {
    package enum Source: Hashable, Sendable {
      case names([String])
      /// A text with a name in each line.
      case file(String)
    }
    package let source: Source
    package let place: Place
  }

  /// Settings of some parameters under one name; the rest keep their defaults.
  package struct Preset: Hashable, Sendable {
    package struct Setting: Hashable, Sendable {
      package let parameter: String
      package let place: Place
      package let value: Double
    }
    package let name: String
    package let place: Place
    package let settings: [Setting]
  }

  /// The keys of the file's objects, in the order in which a person would write them.
  ///
  /// The decoder refuses every other key; the schema for editors describes exactly these.
  package enum Keys {
    package static let sound = ["file"]
    package static let model = [
      "$schema", "legato", "name", "description", "author", "license", "clock", "sampleRate", "prewarm",
      "inputs", "parameters", "levels", "graph", "weights", "outputs", "presets", "train",
      "listen", "functions",
    ]
    /// Those that each function of a file has for itself.
    package static let function = [
      "description", "prewarm", "inputs", "parameters", "graph", "outputs", "presets", "listen",
    ]
    package static let input = ["shape", "type", "format", "normalize", "resize", "crop", "description"]
    package static let normalization = ["mean", "deviation"]
    package static let output = ["name", "labels"]
    package static let levels = ["loudness", "input", "output"]
    /// The key of a file of weights among the names of weights.
    package static let weightsFile = "file"
    package static let parameter = [
      "default", "minimum", "maximum", "unit", "scale", "ramp", "midi", "description",
    ]
  }

  /// The version of the format that this decoder reads.
  package static let supportedVersion = 1

  package static let maximumGraphEntries = 65_536
  package static let maximumInputs = 4_096
  package static let maximumParameters = 4_096
  package static let maximumWeights = 65_536
  package static let maximumOutputs = 4_096
  package static let maximumPresets = 4_096
  package static let maximumFunctions = 256
  package static let maximumLabels = 65_536
  package static let maximumDimensions = 64
  package static let maximumExtent = 1 << 30
  package static let maximumNameLength = 256

  /// The controllers that may be assigned; those from 120 on are messages to a device as a whole.
  package static let midiControllers = 0...119

  /// A person reads no more than this; the rest is counted.
  package static let maximumDiagnostics = 256
}
