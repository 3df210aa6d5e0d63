// SPDX-License-Identifier: Apache-2.0

package import JSONReading

/// The kinds of files that captures come in, told by what a file says, and not by its name.
///
///     "architecture": …, "config": …           Neural Amp Modeler
///     "in_shape": …, "layers": …               RTNeural, and AIDA-X: the layers of a network of Keras
///     "model_data": …, "state_dict": …         GuitarML: a recurrent network of PyTorch
///     "class_name": …, "config": …             Keras: a network without its weights
enum CaptureFormat {
  case modeler
  case layers
  case state
  case keras

  /// The format of a text; nil where it is no capture, or a model of ours.
  init?(of value: JSONValue) {
    guard case .object(let members) = value.content else { return nil }
    let keys = Set(members.map(\.key))
    func has(_ names: String...) -> Bool { names.contains { keys.contains($0) } }
    guard !has("legato") else { return nil }
    if has("architecture") {
      self = .modeler
    } else if has("in_shape", "layers") {
      self = .layers
    } else if has("model_data", "state_dict") {
      self = .state
    } else if has("class_name") {
      self = .keras
    } else {
      return nil
    }
  }
}

extension Capture {
  /// Whether a text is a capture, and no model of ours.
  package static func describes(_ value: JSONValue) -> Bool { CaptureFormat(of: value) != nil }

  /// Reads a capture; the first thing that is wrong with it is thrown.
  ///
  /// - Parameter size: how much of the network to take where the file has several sizes of it, from 0 to 1.
  package init(reading json: JSONDocument, size: Double = 1) throws(CaptureError) {
    switch CaptureFormat(of: json.root) {
    case .layers: try self.init(layers: json)
    case .state: try self.init(state: json)
    case .modeler, nil: try self.init(modeler: json, size: size)
    case .keras:
      throw CaptureError(
        place: try CaptureFields(json.root, "", of: json).place("class_name"),
        message: "this is the architecture of a Keras model, without weights; RTNeural's model_utils.py, "
          + "save_model(model, 'amp.json'), writes a file that has both")
    }
  }
}
