// SPDX-License-Identifier: Apache-2.0

extension ElaborationPass {
  /// The arguments of a call, each in its slot; nil after their errors have been reported.
  mutating func check(
    _ function: Function, _ arguments: [Expression.Argument], _ items: [Item], at offset: Int
  ) -> Call? {
    var found: [String: Call.Argument] = [:]
    var given: Set<String> = []
    var (failed, areKnown) = (false, true)
    for (position, argument) in arguments.enumerated() {
      guard let slot = slot(of: function, for: argument, position) else {
        areKnown = false
        // However many there are too many, it is said once.
        if argument.label == nil { break }
        continue
      }
      guard given.insert(slot.name).inserted else {
        _ = fail(argument.offset, "'\(slot.name)' is given twice")
        areKnown = false
        continue
      }
      found[slot.name] = self.argument(items[argument.term], slot, at: argument.offset)
      failed = failed || found[slot.name] == nil
    }
    // An argument by a wrong name may be the one that is missing.
    guard areKnown else { return nil }
    for slot in function.slots where !given.contains(slot.name) {
      switch slot.standard {
      case .required:
        _ = fail(offset, "'\(slot.name)' is missing; the function is \(function.signature)")
        failed = true
      case .absent: break
      case .integer(let value): found[slot.name] = .integer(value)
      case .number(let value): found[slot.name] = .number(value)
      case .choice(let value): found[slot.name] = .choice(value)
      }
    }
    return failed ? nil : Call(found)
  }

  private mutating func slot(
    of function: Function, for argument: Expression.Argument, _ position: Int
  ) -> Function.Slot? {
    guard let label = argument.label else {
      guard position < function.slots.count else {
        _ = fail(argument.offset, "one argument too many; the function is \(function.signature)")
        return nil
      }
      return function.slots[position]
    }
    guard let slot = function.slots.first(where: { $0.name == label }) else {
      let names = function.slots.map(\.name)
      let meant = nearestName(to: label, among: names) ?? onlyName(abbreviatedAs: label, among: names)
      let hint = meant.map { "; did you mean '\($0)'?" }
      _ = fail(
        argument.offset,
        "\(function.name) takes no \(quoted(label))\(hint ?? "; the function is \(function.signature)")")
      return nil
    }
    return slot
  }

  private mutating func argument(_ item: Item, _ slot: Function.Slot, at offset: Int) -> Call.Argument? {
    if case .failed = item { return nil }
    switch slot.kind {
    case .value:
      return value(item, at: offset).map { .value($0) }
    case .values:
      guard case .list(let elements) = item else {
        _ = fail(offset, "'\(slot.name)' must be a list of values, such as [a, b]")
        return nil
      }
      return values(elements, at: offset).map { .values($0) }
    case .integer:
      return integer(item, slot, at: offset).map { .integer($0) }
    case .integers:
      guard case .list(let elements) = item else {
        return integer(item, slot, at: offset).map { .integers([$0]) }
      }
      var integers: [Int] = []
      for element in elements {
        guard let integer = integer(element, slot, at: offset) else { return nil }
        integers.append(integer)
      }
      return .integers(integers)
    case .number:
      guard case .constant(let number) = item else {
        _ = fail(offset, "'\(slot.name)' must be a number that is known when the model is compiled")
        return nil
      }
      guard Float(number).isFinite else {
        _ = fail(offset, "'\(slot.name)' is \(written(number)), which no float holds")
        return nil
      }
      return .number(number)
    case .choice(let choices):
      guard case .text(let text) = item, choices.contains(text) else {
        let list = choices.map { "\"\($0)\"" }.joined(separator: ", ")
        _ = fail(offset, "'\(slot.name)' must be one of \(list)")
        return nil
      }
      return .choice(text)
    }
  }

  private mutating func integer(_ item: Item, _ slot: Function.Slot, at offset: Int) -> Int? {
    switch item {
    case .failed: return nil
    case .constant(let number):
      guard number.rounded() == number, Swift.abs(number) <= 0x1p53 else {
        let remedy = Swift.abs(number) <= 0x1p53 ? "; round(…) makes it whole" : ""
        _ = fail(offset, "'\(slot.name)' must be a whole number; it is \(written(number))\(remedy)")
        return nil
      }
      return Int(number)
    case .value, .text, .list:
      let remedy = slot.remedy.map { "; \($0)" } ?? ""
      _ = fail(
        offset, "'\(slot.name)' must be a whole number that is known when the model is compiled\(remedy)")
      return nil
    }
  }
}
