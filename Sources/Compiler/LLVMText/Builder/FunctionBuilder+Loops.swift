// SPDX-License-Identifier: Apache-2.0

/// Control flow. Every back edge of a kernel's code comes from the one counted loop below; the only other one is the
/// entry function's walk over tiles, whose lengths are known only within it.
extension FunctionBuilder {
  /// A loop over `0, step, 2 * step, …` below a limit that is above 0, with values carried around.
  ///
  ///     loop.1:
  ///       %i = phi i64 [ start, %before ], [ %next, %loop.1.next ]
  ///       …
  ///     loop.1.next:
  ///       %same = call i64 @llvm.expect.i64(i64 %i, i64 %i)
  ///       %next = add i64 %same, step
  ///       %more = icmp ult i64 %next, limit
  ///       br i1 %more, label %loop.1, label %loop.1.done
  ///     loop.1.done:
  @discardableResult
  package func loop(
    from start: String = "0", to limit: String, step: Int = 1, carrying initial: [Lanes] = [],
    _ body: (_ index: String, _ carried: [Lanes]) -> [Lanes]
  ) -> [Lanes] {
    // A loop of one round is none.
    if start == "0", let limit = Int(limit), limit <= step { return body("0", initial) }
    let head = label("loop")
    let (latch, done) = (head + ".next", head + ".done")
    let before = currentLabel
    let (index, next) = (name(), name())
    line("br label %\(head)")
    place(label: head)
    line("\(index) = phi i64 [ \(start), %\(before) ], [ \(next), %\(latch) ]")
    let room = leaveRoom()
    let carried = initial.map {
      Lanes(names: $0.names.map { _ in name() }, element: $0.element, width: $0.width)
    }
    let results = body(index, carried)
    precondition(results.count == initial.count, "a loop that loses a value")
    line("br label %\(latch)")
    place(label: latch)
    line("\(next) = add i64 \(opaque(index: index)), \(step)")
    let more = define("icmp ult i64 \(next), \(limit)")
    line("br i1 \(more), label %\(head), label %\(done)")
    place(label: done)
    var phis: [String] = []
    for (value, (first, later)) in zip(carried, zip(initial, results)) {
      for vector in value.names.indices {
        phis.append(
          "\(value.names[vector]) = phi \(value.type) [ \(first[vector]), %\(before) ], "
            + "[ \(later[vector]), %\(latch) ]")
      }
    }
    fill(room, phis)
    return results
  }

  /// The same number, which LLVM takes for another: a value is expected to be what it is.
  ///
  /// LLVM would look for better addresses in each loop whose index it sees growing. That takes a tenth of the time
  /// in which it makes code, and it finds none: the addresses here are a pointer and an index already.
  func opaque(index: String) -> String {
    declare("declare i64 @llvm.expect.i64(i64, i64)")
    return define("call i64 @llvm.expect.i64(i64 \(index), i64 \(index))")
  }

  /// Writes code that runs where a condition holds, and goes on behind it.
  package func when(_ condition: String, _ body: () -> Void) {
    when(condition, carrying: []) {
      body()
      return []
    }
  }

  /// Writes code that runs where a condition holds, and goes on behind it with what it gives; else with what there is.
  @discardableResult
  func when(_ condition: String, carrying initial: [Lanes], _ body: () -> [Lanes]) -> [Lanes] {
    let (then, done) = (label("when"), label("then"))
    let before = currentLabel
    line("br i1 \(condition), label %\(then), label %\(done)")
    place(label: then)
    let results = body()
    precondition(results.count == initial.count, "a condition that loses a value")
    let end = currentLabel
    line("br label %\(done)")
    place(label: done)
    return zip(initial, results).map { first, later in
      let names = later.names.indices.map {
        define("phi \(later.type) [ \(first[$0]), %\(before) ], [ \(later[$0]), %\(end) ]")
      }
      return Lanes(names: names, element: later.element, width: later.width)
    }
  }

  /// The earlier one of two places.
  func earlier(_ place: String, _ other: Int) -> String {
    declare("declare i64 @llvm.umin.i64(i64, i64)")
    return define("call i64 @llvm.umin.i64(i64 \(place), i64 \(other))")
  }
}
