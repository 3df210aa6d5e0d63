// SPDX-License-Identifier: Apache-2.0

/// The names that PyTorch gives the arrays of a recurrent module.
///
///     lstm(x, 'amp')        amp.weight_ih_l0, amp.weight_hh_l0, amp.bias_ih_l0, amp.bias_hh_l0, amp.weight_hr_l0,
///                           amp.weight_ih_l1, …
package enum RecurrentModule {
  /// The arguments of a layer, in order, and the beginning of their names.
  package static let arguments: [(slot: String, name: String)] = [
    ("weight", "weight_ih_l"), ("recurrent", "weight_hh_l"), ("bias", "bias_ih_l"),
    ("recurrentBias", "bias_hh_l"), ("projection", "weight_hr_l"),
  ]

  /// The module that an array belongs to by its name; nil where it belongs to none.
  package static func module(of array: String) -> String? {
    guard let dot = array.lastIndex(of: ".") else { return nil }
    let last = array[array.index(after: dot)...]
    guard arguments.contains(where: { last.hasPrefix($0.name) }) else { return nil }
    return String(array[..<dot])
  }

  /// How many layers a module has; where one of its arrays is missing in one of them, an array that says so.
  ///
  /// - Parameters:
  ///   - arrays: The names of its arrays, and perhaps of others.
  ///   - arguments: What a layer takes. Its two weights are in every layer, of the others each in all of them or in none.
  package static func layers(
    of module: String, among arrays: some Sequence<String>,
    arguments: [(slot: String, name: String)] = arguments
  ) -> Result<Int, Gap> {
    var known = arguments.map { (prefix: "\(module).\($0.name)", layers: Set<Int>()) }
    var last: (layer: Int, array: String)?
    for array in arrays {
      for row in known.indices where array.hasPrefix(known[row].prefix) {
        let number = array.dropFirst(known[row].prefix.count)
        guard let layer = Int(number), String(layer) == number else { continue }
        known[row].layers.insert(layer)
        if (layer, array) > last ?? (-1, "") { last = (layer, array) }
      }
    }
    guard let last else { return .success(0) }
    for (argument, array) in zip(arguments, known) {
      let isNeeded = argument.slot == "weight" || argument.slot == "recurrent"
      guard isNeeded || !array.layers.isEmpty else { continue }
      // There are no more layers with it than names.
      let missing = (0...array.layers.count).first { !array.layers.contains($0) } ?? 0
      guard missing <= last.layer else { continue }
      let other = array.layers.max().map { "\(array.prefix)\($0)" }
      return .failure(Gap(known: other ?? last.array, missing: "\(array.prefix)\(missing)"))
    }
    return .success(last.layer + 1)
  }

  /// An array that a module does not have, and one of those by which it should.
  package struct Gap: Error {
    package let known, missing: String

    package func message(_ module: String) -> String {
      "the module \(quoted(module)) has \(quoted(known)), and no \(quoted(missing)); a module is played whole"
    }
  }
}

extension ElaborationPass {
  /// A recurrent layer that names a module in place of its weights: all layers of the module, one on top of the other.
  ///
  ///     gru(x, 'rec', axis: 0)
  /// →
  ///     gru(gru(x, 'rec.weight_ih_l0', 'rec.weight_hh_l0', …, axis: 0), 'rec.weight_ih_l1', 'rec.weight_hh_l1', …, axis: 0)
  ///
  /// - Returns: nil for any other call.
  mutating func layers(
    ofModuleIn function: Function, _ arguments: [Expression.Argument], _ items: [Item], at offset: Int
  ) -> Item? {
    guard Function.recurrence.contains(where: { $0.name == function.name }) else { return nil }
    func position(_ label: String, _ index: Int) -> Int? {
      arguments.firstIndex { $0.label == label }
        ?? (arguments.indices.contains(index) && arguments[index].label == nil ? index : nil)
    }
    guard let first = position("x", 0), let named = position("weight", 1), first != named,
      case .text(let module) = items[arguments[named].term], !hasWeights(module)
    else { return nil }
    func array(_ name: String, _ layer: Int) -> String { "\(module).\(name)\(layer)" }
    let names = RecurrentModule.arguments.filter { argument in
      function.slots.contains { $0.name == argument.slot }
    }
    guard let arrays = modules[scoping.weights + module] else {
      let isWhole = position("recurrent", 2) == nil
      return isWhole && source.unread.hidesWeights ? .failed : nil
    }
    if let other = names.first(where: { hasWeights(array($0.name, 0) + "_reverse") }) {
      return fail(
        arguments[named].offset,
        "\(quoted(module)) goes in both directions, as \(quoted(array(other.name, 0) + "_reverse")) says; a stream goes in one"
      )
    }
    let others = arguments.indices.filter { $0 != first && $0 != named }.map { arguments[$0] }
    if let wrong = others.first(where: { argument in
      names.contains { $0.slot == argument.label } || argument.label == nil
    }) {
      return fail(
        wrong.offset, "the module \(quoted(module)) brings its weights; what else is given goes by name")
    }
    let count: Int
    switch RecurrentModule.layers(of: scoping.weights + module, among: arrays, arguments: names) {
    case .success(let layers): count = layers
    case .failure(let gap):
      let own = RecurrentModule.Gap(
        known: gap.known.without(prefix: scoping.weights)!,
        missing: gap.missing.without(prefix: scoping.weights)!)
      return fail(arguments[named].offset, own.message(module))
    }
    if count > 1,
      let state = others.first(where: { ($0.label ?? "").hasPrefix("initial") })
    {
      return fail(
        state.offset,
        "\(quoted(module)) has several layers; write them one by one to give each its beginning")
    }
    var result = items[arguments[first].term]
    for layer in 0..<count {
      var (own, given) = (items, others)
      func give(_ label: String, _ item: Item) {
        own.append(item)
        given.append(.init(label: label, term: own.count - 1, offset: arguments[named].offset))
      }
      give("x", result)
      for (slot, name) in names
      where slot == "weight" || slot == "recurrent" || hasWeights(array(name, layer)) {
        give(slot, .text(array(name, layer)))
      }
      result = call(function, given, own, at: offset)
    }
    return result
  }
}
