// SPDX-License-Identifier: Apache-2.0

internal import Legato

extension Option {
  static let then = Option(
    "then", value: "MODEL",
    "another model behind it, compiled as one with it; its parameters are 2.drive, or delay.time by its name "
      + "(repeatable)")
}

extension Model {
  /// The model in a file, with those behind it that `--then` names, and with the controls that are turned or moved
  /// though no model declares them.
  ///
  /// - Parameter moved: parameters that are automated.
  init(path: String, _ arguments: Arguments, moved: [String] = []) throws {
    self = try Model(contentsOf: path)
    for file in arguments.values(of: .then) {
      guard !file.isEmpty else { throw Failure.usage("--then takes the file of a model, and this is empty") }
      self = try then(Model(contentsOf: file))
    }
    for address in arguments.values(of: .preset) {
      guard case .name(let name) = preset(addressed: address),
        let preset = presets.first(where: { $0.name == name })
      else { continue }
      self = try with(controlsOf: preset)
    }
    let set = arguments.values(of: .set).map { String($0.prefix { $0 != "=" }) }
    for address in set + moved {
      guard parameter(addressed: address) == .unknown else { continue }
      if let model = try with(controlAddressed: address) { self = model }
    }
  }
}
