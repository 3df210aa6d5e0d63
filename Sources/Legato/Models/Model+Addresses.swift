// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ModelFiles

/// How people say which parameter, or preset, of a chain they mean.
///
///     legato process overdrive.json --then delay.json
///
///     drive    the first model's          time, 2.time, delay.time    the second one's
///     2.drive  the second one's           drive                       where both have one: neither
///     mix      of the whole               2.mix, delay.mix            what is mixed in of the second one
///
/// A `bypass` or `mix` that a model declares goes by the rule of all parameters.
extension Model {
  /// The meaning of an address of a parameter or preset.
  public enum Address: Hashable, Sendable {
    /// The one name in the program.
    case name(String)
    /// Several may be meant; by position and name each is one.
    case ambiguous([String])
    case unknown
  }

  /// The parameter that somebody means: by its name, by its own name in the one model that has it, or with the
  /// position, the name or the file of a model of the chain in front.
  public func parameter(addressed address: String) -> Address {
    let names = parameters.map(\.name)
    if names.contains(address) { return .name(address) }
    let controls = composed.composition.controls
    return meaning(of: address, among: names) { name, stage in
      // The name alone is the whole's, whatever controls the models were given.
      let isGiven = controls.contains { $0.kind.rawValue == name && $0.stage == stage }
      guard name != address || !isGiven else { return nil }
      let own = composed.composition.name(ofParameter: name, inStage: stage)
      return names.contains(own) ? own : nil
    }
  }

  /// The preset that somebody means, as `parameter(addressed:)` says it.
  public func preset(addressed address: String) -> Address {
    let presets = presets.map(\.name)
    return meaning(of: address, among: presets) { name, stage in
      let own = composed.composition.prefixes[stage] + name
      return composed.composition.presets.contains { $0.stage == stage && $0.name == own } ? own : nil
    }
  }

  /// The files of the models that are used in expressions, and those of weights, as messages call them.
  public var usedFiles: [String] { composed.family.usedFiles }

  /// The file that was named, of a bundle or the first one of a chain, as messages call it; the model's name where there is
  /// none.
  package var filePath: String { composed.family.bundle?.file ?? stages.first?.file ?? name }

  /// The bytes of the model's own file, and of each of a chain, as they were read, by the files; nothing of captures and networks
  /// of other programs.
  package var sourceBytes: [String: [UInt8]] {
    let read = composed.family.documents.filter { !$0.isTranslated }.map { ($0.file, $0.source.bytes) }
    return Dictionary(read) { first, _ in first }
  }

  /// All files that the model was read from, as messages call them.
  public var files: [String] {
    (composed.family.bundle.map { [$0.file] } ?? []) + stages.map(\.file) + usedFiles
  }

  /// Every parameter of a chain by position and its own name, such as `2.time`; of any other model, none.
  public var positionalParameters: [String] {
    guard stages.count > 1 else { return [] }
    return composed.family.documents.enumerated().flatMap { stage, document in
      document.parameters.map { "\(stage + 1).\($0.name)" }
    }
  }

  private func meaning(
    of address: String, among names: [String], in stage: (_ name: String, _ stage: Int) -> String?
  ) -> Address {
    let count = stages.count
    guard count > 1 else { return names.contains(address) ? .name(address) : .unknown }
    var found: [(stage: Int, name: String, own: String)] = []
    for position in 0..<count {
      if let own = stage(address, position) { found.append((position, address, own)) }
    }
    if found.isEmpty, names.contains(address) { return .name(address) }
    if found.isEmpty, let dot = address.firstIndex(of: ".") {
      let (head, tail) = (String(address[..<dot]), String(address[address.index(after: dot)...]))
      for position in 0..<count where answers(to: head, position) {
        if let own = stage(tail, position) { found.append((position, tail, own)) }
      }
    }
    guard let first = found.first else { return .unknown }
    return found.count == 1 ? .name(first.own) : .ambiguous(found.map { "\($0.stage + 1).\($0.name)" })
  }

  /// Whether a model of the chain is called so: by its position, its name or its file's, capitals or not.
  func answers(to name: String, _ position: Int) -> Bool {
    if name == String(position + 1) { return true }
    let stage = stages[position]
    let file = stage.file.split(separator: "/").last.map(String.init) ?? ""
    let stem = file.lastIndex(of: ".").map { String(file[..<$0]) } ?? file
    let names = [stage.name, stem, String(composed.composition.prefixes[position].dropLast())]
    return names.contains { !$0.isEmpty && $0.lowercased() == name.lowercased() }
  }
}
