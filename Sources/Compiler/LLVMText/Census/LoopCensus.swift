// SPDX-License-Identifier: Apache-2.0

/// Reads the text of a module again and counts its loops, independently of who wrote them.
///
/// A back edge is a branch to a label that stands above it. Each must be the branch of a counted loop: an index that
/// the loop's first block takes over from its last one, that grows, and that is compared with a limit:
///
///     loop.1:
///       %i = phi i64 [ 0, %entry ], [ %next, %loop.1.next ]
///       …
///       %same = call i64 @llvm.expect.i64(i64 %i, i64 %i)
///       %next = add i64 %same, 16
///       %more = icmp ult i64 %next, %limit
///       br i1 %more, label %loop.1, label %loop.1.done
///
/// It grows by a number above 0; the one loop over the tiles of a block grows by a tile's length, which is
/// followed back to values that are above 0. The limit is constant: it is a number, or known before the loop
/// begins, and what it can be at most is followed back through the functions' calls. Together: code that
/// ends, after at most so many rounds.
package struct LoopCensus: Sendable {
  package private(set) var countedLoops = 0
  /// Loops that grow by what they find out in each round, by 1 at least, up to an argument of the whole.
  package private(set) var tileLoops = 0
  /// The most rounds that a counted loop can make; where its limit is an argument of the whole, it does not count.
  package private(set) var mostRounds = 0
  /// The loops and jumps that are not of this form, one sentence each.
  package private(set) var violations: [String] = []

  package init(_ module: ModuleReading) {
    let bounds = ValueBounds(module)
    for function in module.functions {
      for jump in function.otherJumps {
        violations.append("@\(function.name) branches in a way that is not counted: \(jump)")
      }
      for branch in function.branches {
        guard branch.targets.count == (branch.condition == nil ? 1 : 2) else {
          violations.append("@\(function.name) branches in a way that is not understood: \(branch.text)")
          continue
        }
        for target in branch.targets {
          guard let head = function.labels[target] else {
            violations.append("@\(function.name) branches to where no label is read: \(branch.text)")
            continue
          }
          if head < branch.line { count(branch, to: target, head, in: function, bounds) }
        }
      }
    }
  }

  private mutating func count(
    _ branch: ModuleReading.Branch, to target: String, _ head: Int, in function: ModuleReading.Function,
    _ bounds: ValueBounds
  ) {
    func refuse(_ what: String) { violations.append("@\(function.name) has \(what): \(branch.text)") }
    guard target == branch.targets.first, let condition = branch.condition,
      let loop = Counting(until: condition, at: target, in: function)
    else { return refuse("a back edge that is not counted") }
    guard stands(loop.limit, above: head, in: function), let most = bounds.bound(of: loop.limit, in: function)
    else { return refuse("a loop whose limit is not known before it begins") }
    if let step = Int(loop.step), step > 0 {
      countedLoops += 1
      guard case .number(let limit) = most else { return }
      let way = max(0, limit - (Int(loop.start) ?? 0))
      mostRounds = max(mostRounds, way / step + (way % step > 0 ? 1 : 0), 1)
    } else if isPositive(loop.step, index: loop.index, limit: loop.limit, in: function) {
      tileLoops += 1
    } else {
      refuse("a loop that may not grow")
    }
  }

  /// Whether a value is the same in all rounds of a loop: a number, an argument, or defined above the loop.
  private func stands(_ name: String, above head: Int, in function: ModuleReading.Function) -> Bool {
    if Int(name) != nil || function.parameters.contains(name) { return true }
    return function.definition(name).map { $0.line < head } ?? false
  }

  /// Whether a length is above 0 wherever the loop with this index goes on.
  ///
  /// - Parameter way: the values that are being followed: one that comes back to itself says nothing.
  private func isPositive(
    _ name: String, index: String, limit: String, in function: ModuleReading.Function,
    on way: Set<String> = []
  ) -> Bool {
    if let number = Int(name) { return number > 0 }
    guard !way.contains(name), let definition = function.definition(name) else { return false }
    let operands = definition.operands
    func isPositive(_ operand: String) -> Bool {
      self.isPositive(operand, index: index, limit: limit, in: function, on: way.union([name]))
    }
    switch definition.operation {
    case "phi i64", "call i64 @llvm.umin.i64":
      return operands.allSatisfy(isPositive)
    case "add i64":
      return function.definition(operands[0])?.operation == "zext i32" && isPositive(operands[1])
    case "sub i64":
      // What is left of the block; the loop ends where nothing is.
      if operands == [limit, index] { return true }
      // A power of two less what lies behind the last multiple of it.
      guard let whole = Int(operands[0]), let rest = function.definition(operands[1]) else { return false }
      return rest.operation == "and i64" && rest.operands.last == String(whole - 1)
    case _:
      return false
    }
  }
}

/// A loop's index, where it begins, what it grows by, and the limit that `condition` compares it with.
private struct Counting {
  let index, start, step, limit: String

  /// nil where the loop at a label is not counted so.
  init?(until condition: String, at label: String, in function: ModuleReading.Function) {
    guard let comparison = function.definition(condition), comparison.operation == "icmp ult i64",
      let addition = function.definition(comparison.operands[0]), addition.operation == "add i64",
      let same = function.definition(addition.operands[0]), same.operation == "call i64 @llvm.expect.i64",
      let values = function.definition(same.operands[0]), values.operation == "phi i64",
      values.label == label, values.operands.count == 2, values.operands[1] == comparison.operands[0]
    else { return nil }
    index = same.operands[0]
    start = values.operands[0]
    step = addition.operands[1]
    limit = comparison.operands[1]
  }
}
