// SPDX-License-Identifier: Apache-2.0

package import JSONReading

/// The kinds of files that captures come in, told by what a file says, and not by its name.
///
///     "architecture": …, "config": …           Neural Amp Modeler
///     "in_shape": …, "layers": …               RTNeural, and AIDA-X: the layers of a network of Keras
///     "model_data": …, "state_dict": …         GuitarML: a recurrent network of PyTorch
///     "class_name": …, "config": …             Keras: a network without its weights
///     "residual_channels": …                   GuitarML's SmartAmp: a network of another kind
///     "conv1d_stride": …                       GuitarML's SmartAmpPro: the same
enum CaptureFormat {
  case modeler
  case layers
  case state
  case keras
  case smartAmp
  case smartAmpPro

  /// The format of a text; nil where it is no capture, or a model of ours.
  init?(of value: JSONValue) {
    guard case .object(let members) = value.content else { return nil }
    let keys = Set(members.map(\.key))
    func has(_ names: String...) -> Bool { names.contains { keys.contains($0) } }
    guard !has("legato") else { return nil }
    if has("architecture") || keys.isSuperset(of: ["config", "weights"]) {
      self = .modeler
    } else if has("in_shape", "layers") {
      self = .layers
    } else if has("model_data", "state_dict") {
      self = .state
    } else if has("class_name") {
      self = .keras
    } else if has("residual_channels") {
      self = .smartAmp
    } else if has("conv1d_stride") {
      self = .smartAmpPro
    } else {
      return nil
    }
  }
}

extension Capture {
  /// Whether a text is a capture, and no model of ours: its contents say so, or else the ending that only captures have.
  package static func describes(_ value: JSONValue, file: String) -> Bool {
    if CaptureFormat(of: value) != nil { return true }
    guard file.hasSuffix(".nam"), case .object(let members) = value.content else { return false }
    return !members.contains { $0.key == "legato" }
  }

  /// Reads a capture; the first thing that is wrong with it is thrown.
  ///
  /// - Parameter size: how much of the network to take where the file has several sizes of it, from 0 to 1.
  package init(reading json: JSONDocument, size: Double = 1) throws(CaptureError) {
    switch CaptureFormat(of: json.root) {
    case .layers: try self.init(layers: json)
    case .state: try self.init(state: json)
    case .modeler, nil: try self.init(modeler: json, size: size)
    case .keras:
      throw try Self.refusal(
        json, "class_name",
        "this is the architecture of a Keras model, without weights; RTNeural's model_utils.py, "
          + "save_model(model, 'amp.json'), writes a file that has both")
    case .smartAmp:
      throw try Self.refusal(
        json, "residual_channels",
        "this is a network of GuitarML's SmartAmp (a GatedConvNet of PedalNetRT), which is not read; a capture that "
          + "Neural Amp Modeler or Proteus makes of the same amplifier is")
    case .smartAmpPro:
      throw try Self.refusal(
        json, "conv1d_stride",
        "this is a network of GuitarML's SmartAmpPro, which is not read; a capture that Neural Amp Modeler or Proteus "
          + "makes of the same amplifier is")
    }
  }

  /// The error of a file whose kind is known and not read.
  private static func refusal(
    _ json: JSONDocument, _ key: String, _ message: String
  ) throws(CaptureError) -> CaptureError {
    CaptureError(place: try CaptureFields(json.root, "", of: json).place(key), message: message)
  }
}
