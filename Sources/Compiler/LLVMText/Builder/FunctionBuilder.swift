// SPDX-License-Identifier: Apache-2.0

package import GraphPlanning

/// Writes the body of one function of LLVM IR, instruction by instruction.
///
/// Arithmetic takes and gives `Lanes`: each call writes one instruction for every vector of the stage, so that
/// independent work stands side by side and hides latencies (stage-major order), or staggered. Nothing is left to
/// LLVM's discretion: no fast-math flags, and `fma` only where it is asked for.
package final class FunctionBuilder {
  package let target: Target
  let goal: Goal
  /// Floats in a vector of the code that is being written.
  package var width: Int
  /// Finished pieces of text, and where the last one is still being written.
  private var pieces: [String] = []
  private var open = ""
  /// The vectors of a stage one behind the other, while they are written so.
  private var staggering: Staggering?
  /// The block that is being written.
  package private(set) var currentLabel = "entry"
  /// Instructions at the function's beginning that take memory from the stack.
  private var reservations = ""
  /// The constants that the block has loaded.
  var loadedConstants: [LoadedConstant: Lanes] = [:]
  /// The vectors that the block has stored.
  var storedVectors = StoredVectors()
  /// Addresses that are known: bytes behind the workspace's beginning.
  var knownPlaces: [String: Int] = ["%workspace": 0]
  /// The declarations that the body needs in the module: intrinsics, and constants in memory.
  package private(set) var declarations: Set<String> = []
  /// The numbers that the text leaves open; nil where it leaves none open.
  private(set) var openNumbers: [Int]?
  private var indexOfOpen: [OpenNumber: Int] = [:]
  private var nextName = 0
  private var nextLabel = 0

  /// - Parameter leavesOpen: Whether the text leaves numbers open that say where things stand, see `KernelForm`.
  package init(target: Target, width: Int, goal: Goal = .speed, leavesOpen: Bool = false) {
    self.target = target
    self.goal = goal
    self.width = width
    openNumbers = leavesOpen ? [] : nil
  }

  private struct OpenNumber: Hashable {
    let number: Int
    let location: Location
  }

  /// A number that says where something of a place stands, in which kernels of one form may differ.
  func open(_ number: Int, of location: Location) -> String {
    guard let numbers = openNumbers else { return String(number) }
    let key = OpenNumber(number: number, location: location)
    if let known = indexOfOpen[key] { return KernelForm.mark(known) }
    openNumbers?.append(number)
    indexOfOpen[key] = numbers.count
    return KernelForm.mark(numbers.count)
  }

  /// The body as text.
  package var text: String { reservations + pieces.joined() + open }

  /// Writes code in vectors of so many floats.
  func inVectors(of width: Int, _ body: () -> Void) {
    let before = self.width
    self.width = width
    body()
    self.width = before
  }

  // MARK: Raw text

  /// A fresh name of a value.
  package func name() -> String {
    nextName += 1
    return "%v\(nextName)"
  }

  /// A fresh label that begins with `stem`.
  package func label(_ stem: String) -> String {
    nextLabel += 1
    return "\(stem).\(nextLabel)"
  }

  /// Memory for so many floats on the stack, aligned for vectors; what stands there at first is anything.
  func reserve(floats: Int) -> String {
    let result = name()
    reservations += "  \(result) = alloca [\(floats) x float], align 64\n"
    return result
  }

  package func line(_ instruction: String) {
    if instruction.utf8.starts(with: "store".utf8) { storedVectors.forgetAll() }
    write(instruction)
  }

  /// Writes an instruction of which is known what it stores.
  func write(_ instruction: String) {
    open += "  "
    open += instruction
    open += "\n"
  }

  package func place(label: String) {
    precondition(staggering == nil, "a label among staggered vectors")
    open += label
    open += ":\n"
    currentLabel = label
    loadedConstants = [:]
    storedVectors.forgetAll()
  }

  /// Writes an instruction that yields a value, and returns its name.
  package func define(_ instruction: String) -> String {
    let result = name()
    open += "  "
    open += result
    open += " = "
    open += instruction
    open += "\n"
    return result
  }

  /// Leaves room for instructions that can only be written later.
  func leaveRoom() -> Int {
    pieces.append(open)
    pieces.append("")
    open = ""
    return pieces.count - 1
  }

  /// Writes instructions into the room that was left.
  func fill(_ room: Int, _ instructions: [String]) {
    pieces[room] = instructions.map { "  \($0)\n" }.joined()
  }

  // MARK: Vectors of a stage

  /// Whether the vectors of a stage are being written one behind the other.
  var isStaggered: Bool { staggering != nil }

  /// Writes a stage whose vectors stand one behind the other instead of side by side.
  ///
  /// In it, what belongs to one vector is written in `forEachVector`; what stands outside belongs to all of them.
  package func staggered(_ body: () -> Void) {
    pieces.append(open)
    open = ""
    staggering = Staggering()
    body()
    collect(vector: nil)
    pieces.append(staggering?.text ?? "")
    staggering = nil
  }

  /// Writes the same step of each vector of a stage.
  func forEachVector(_ count: Int, _ body: (Int) -> Void) {
    collect(vector: nil)
    for vector in 0..<count {
      body(vector)
      collect(vector: vector)
    }
  }

  private func collect(vector: Int?) {
    guard staggering != nil, !open.isEmpty || vector == 0 else { return }
    staggering?.add(open, vector: vector)
    open.removeAll(keepingCapacity: true)
  }

  package func declare(_ declaration: String) {
    declarations.insert(declaration)
  }

  // MARK: Instructions over lanes

  /// `opcode type a, b` for each vector.
  package func binary(_ opcode: String, _ a: Lanes, _ b: Lanes) -> Lanes {
    precondition(a.element == b.element && a.width == b.width, "\(opcode) of \(a.type) and \(b.type)")
    let type = a.type
    return lanes(count: max(a.names.count, b.names.count), a.element, a.width) { vector in
      "\(opcode) \(type) \(a[vector]), \(b[vector])"
    }
  }

  package func unary(_ opcode: String, _ a: Lanes) -> Lanes {
    let type = a.type
    return lanes(count: a.names.count, a.element, a.width) { "\(opcode) \(type) \(a[$0])" }
  }

  /// A conversion such as `sitofp` or `bitcast`.
  package func convert(_ opcode: String, _ a: Lanes, to element: ElementType) -> Lanes {
    let (from, to) = (a.type, Lanes.type(element, width: a.width))
    return lanes(count: a.names.count, element, a.width) { "\(opcode) \(from) \(a[$0]) to \(to)" }
  }

  /// A comparison, `predicate` as `fcmp` and `icmp` name it (`olt`, `une`, `slt`, `eq` …).
  package func compare(_ predicate: String, _ a: Lanes, _ b: Lanes) -> Lanes {
    let opcode = a.element == .float || a.element == .double ? "fcmp" : "icmp"
    let type = a.type
    return lanes(count: max(a.names.count, b.names.count), .i1, a.width) { vector in
      "\(opcode) \(predicate) \(type) \(a[vector]), \(b[vector])"
    }
  }

  package func select(_ mask: Lanes, _ a: Lanes, _ b: Lanes) -> Lanes {
    let (maskType, type) = (mask.type, a.type)
    let count = max(mask.names.count, a.names.count, b.names.count)
    return lanes(count: count, a.element, a.width) { vector in
      "select \(maskType) \(mask[vector]), \(type) \(a[vector]), \(type) \(b[vector])"
    }
  }

  /// A call of an intrinsic all of whose operands and whose result have one type.
  package func intrinsic(_ stem: String, _ operands: Lanes...) -> Lanes {
    let first = operands[0]
    let (type, suffix) = (first.type, Self.suffix(first.element, width: first.width))
    let function = "\(type) @llvm.\(stem).\(suffix)("
    var (declaration, count) = ("declare " + function, 0)
    for (index, operand) in operands.enumerated() {
      declaration += index > 0 ? ", " : ""
      declaration += type
      count = max(count, operand.names.count)
    }
    declare(declaration + ")")
    return lanes(count: count, first.element, first.width) { vector in
      var call = "call " + function
      for (index, operand) in operands.enumerated() {
        call += index > 0 ? ", " : ""
        call += type
        call += " "
        call += operand[vector]
      }
      return call + ")"
    }
  }

  /// How the name of an overloaded intrinsic ends, such as `v16f32`.
  package static func suffix(_ element: ElementType, width: Int) -> String {
    let scalar =
      switch element {
      case .float: "f32"
      case .double: "f64"
      case .i1, .i32, .i64: element.rawValue
      }
    return width == 1 ? scalar : "v\(width)\(scalar)"
  }

  private func lanes(
    count: Int, _ element: ElementType, _ width: Int, _ instruction: (Int) -> String
  ) -> Lanes {
    var names: [String] = []
    names.reserveCapacity(count)
    forEachVector(count) { names.append(define(instruction($0))) }
    return Lanes(names: names, element: element, width: width)
  }
}
