// SPDX-License-Identifier: Apache-2.0

/// Upper bounds of the integers in a module's text, as unsigned numbers.
///
///     define internal void @step(i64 %count) {      called with %short only: at most 128
///       %whole = and i64 %count, -64                at most 128
///     define void @legato_execute(i64 %frames) {    called from outside: an argument
///       %short = call i64 @llvm.umin.i64(i64 %left, i64 128)
///       call void @step(i64 %short)
///
/// A parameter is as large as the largest that is handed over; what is called from outside has parameters that only
/// the caller knows.
struct ValueBounds {
  enum Bound: Equatable {
    case number(Int)
    /// No more than an argument of the function that is called from outside.
    case argument
  }

  private let callers: [String: [(function: ModuleReading.Function, arguments: [String])]]

  init(_ module: ModuleReading) {
    var callers: [String: [(ModuleReading.Function, [String])]] = [:]
    for function in module.functions {
      for call in function.calls where !call.isIntrinsic {
        if let callee = call.callee { callers[callee, default: []].append((function, call.arguments)) }
      }
    }
    self.callers = callers
  }

  /// The most that a value can be; nil where that cannot be told.
  func bound(of name: String, in function: ModuleReading.Function) -> Bound? {
    bound(of: name, in: function, beneath: [])
  }

  private func bound(
    of name: String, in function: ModuleReading.Function, beneath path: Set<String>
  ) -> Bound? {
    if let number = Int(name) { return number >= 0 ? .number(number) : nil }
    let place = function.name + name
    guard !path.contains(place) else { return nil }
    let path = path.union([place])
    func bounds(_ names: [String]) -> [Bound?] { names.map { bound(of: $0, in: function, beneath: path) } }
    if let index = function.parameters.firstIndex(of: name) {
      guard let callers = callers[function.name] else { return .argument }
      return largest(
        callers.map { caller in
          guard index < caller.arguments.count else { return nil }
          return bound(of: caller.arguments[index], in: caller.function, beneath: path)
        })
    }
    guard let definition = function.definition(name) else { return nil }
    switch definition.operation {
    case "phi i64": return largest(bounds(definition.operands))
    case "and i64", "call i64 @llvm.umin.i64": return least(bounds(definition.operands))
    case "call i64 @llvm.usub.sat.i64": return bound(of: definition.operands[0], in: function, beneath: path)
    case "add i64":
      let parts = bounds(definition.operands)
      guard case .number(let a) = parts[0], case .number(let b) = parts[1] else { return nil }
      let (sum, isTooLarge) = a.addingReportingOverflow(b)
      return isTooLarge ? nil : .number(sum)
    case "zext i32": return .number(Int(UInt32.max))
    case "sub i64":
      let parts = bounds(definition.operands)
      guard let whole = Int(definition.operands[0]), case .number(let most) = parts[1], most <= whole else {
        return nil
      }
      return .number(whole)
    case _: return nil
    }
  }

  /// nil where one of them is not known.
  private func largest(_ bounds: [Bound?]) -> Bound? {
    var largest: Bound? = .number(0)
    for bound in bounds {
      switch (bound, largest) {
      case (nil, _), (_, nil): largest = nil
      case (.argument, _), (_, .argument): largest = .argument
      case (.number(let a), .number(let b)): largest = .number(max(a, b))
      }
    }
    return largest
  }

  /// The least of those that are known.
  private func least(_ bounds: [Bound?]) -> Bound? {
    let numbers = bounds.compactMap { bound -> Int? in
      if case .number(let number) = bound { number } else { nil }
    }
    return numbers.min().map(Bound.number) ?? bounds.compactMap(\.self).first
  }
}
