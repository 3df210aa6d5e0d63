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
  /// The text that is written, see `Instruction`; the first piece is room for the function's beginning.
  private var pieces = [""]
  /// The vectors of a stage one behind the other, while they are written so.
  private var staggering: Staggering?
  /// The block that is being written.
  package private(set) var currentLabel = "entry"
  /// Instructions at the function's beginning that take memory from the stack.
  private var reservations = ""
  /// The intrinsics that are declared.
  private var intrinsics: [Intrinsic: IntrinsicCall] = [:]
  /// The constants that the block has loaded.
  var loadedConstants: [LoadedConstant: Lanes] = [:]
  /// The global constants that are declared.
  var placesOfConstants: [LoadedConstant: String] = [:]
  var storedVectors = StoredVectors()
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
    pieces.reserveCapacity(4096)
  }

  private struct OpenNumber: Hashable {
    let number: Int
    let location: Location
  }

  /// A number that says where something of a place stands, in which kernels of one form may differ.
  func leftOpen(_ number: Int, of location: Location) -> String {
    guard let numbers = openNumbers else { return String(number) }
    let key = OpenNumber(number: number, location: location)
    if let known = indexOfOpen[key] { return KernelForm.mark(known) }
    openNumbers?.append(number)
    indexOfOpen[key] = numbers.count
    return KernelForm.mark(numbers.count)
  }

  /// The body as text.
  package var text: String { body.joined() }

  /// The body in pieces.
  var body: [String] {
    pieces[0] = reservations
    return pieces
  }

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
    return nextName < Self.names.count ? Self.names[nextName] : "%v\(nextName)"
  }

  /// The names of most values, ready.
  private static let names = (0..<1024).map { "%v\($0)" }

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

  /// Writes an instruction, which may write anywhere into memory.
  package func line(_ instruction: Instruction) {
    storedVectors.forgetAll()
    write(instruction)
  }

  /// Writes an instruction of which `storedVectors` know what it writes into memory.
  func write(_ instruction: Instruction) { instruction.write(into: &pieces) }

  package func place(label: String) {
    precondition(staggering == nil, "a label among staggered vectors")
    pieces += [label, ":\n"]
    currentLabel = label
    loadedConstants = [:]
    storedVectors.forgetAll()
  }

  /// Writes an instruction that yields a value, and returns its name.
  package func define(_ instruction: Instruction) -> String {
    let result = name()
    instruction.write(defining: result, into: &pieces)
    return result
  }

  /// Leaves room for instructions that can only be written later.
  func leaveRoom() -> Int {
    pieces.append("")
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
    let before = pieces
    pieces = []
    staggering = Staggering()
    body()
    collect(vector: nil)
    pieces = before + (staggering?.pieces ?? [])
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
    guard staggering != nil, !pieces.isEmpty || vector == 0 else { return }
    staggering?.add(pieces, vector: vector)
    pieces.removeAll(keepingCapacity: true)
  }

  package func declare(_ declaration: String) {
    declarations.insert(declaration)
  }

  // MARK: Instructions over lanes

  /// `opcode type a, b` for each vector.
  package func binary(_ opcode: String, _ a: Lanes, _ b: Lanes) -> Lanes {
    precondition(a.element == b.element && a.width == b.width, "\(opcode) of \(a.type) and \(b.type)")
    return lanes(a.element, a.width, "\(opcode) \(a.type) ", a, b)
  }

  package func unary(_ opcode: String, _ a: Lanes) -> Lanes {
    lanes(a.element, a.width, "\(opcode) \(a.type) ", a)
  }

  /// A conversion such as `sitofp` or `bitcast`.
  package func convert(_ opcode: String, _ a: Lanes, to element: ElementType) -> Lanes {
    let type = Lanes.type(element, width: a.width)
    return lanes(element, a.width, "\(opcode) \(a.type) ", a, end: " to \(type)")
  }

  /// A comparison, `predicate` as `fcmp` and `icmp` name it (`olt`, `une`, `slt`, `eq` …).
  package func compare(_ predicate: String, _ a: Lanes, _ b: Lanes) -> Lanes {
    let opcode = a.element == .float || a.element == .double ? "fcmp" : "icmp"
    return lanes(.i1, a.width, "\(opcode) \(predicate) \(a.type) ", a, b)
  }

  package func select(_ mask: Lanes, _ a: Lanes, _ b: Lanes) -> Lanes {
    lanes(a.element, a.width, "select \(mask.type) ", mask, a, b, separator: ", \(a.type) ")
  }

  /// A call of an intrinsic all of whose operands and whose result have one type.
  package func intrinsic(_ stem: String, _ operands: Lanes...) -> Lanes {
    let first = operands[0]
    precondition(operands.allSatisfy { $0.element == first.element && $0.width == first.width }, stem)
    let intrinsic = Intrinsic(stem: stem, element: first.element, width: first.width, count: operands.count)
    let call = intrinsics[intrinsic] ?? declared(intrinsic)
    return lanes(first.element, first.width, call.beginning, operands, call.separator, .closing)
  }

  private struct Intrinsic: Hashable {
    let stem: String
    let element: ElementType
    let width: Int
    /// How many operands it has.
    let count: Int
  }

  /// The text in front of an intrinsic's first operand, and between two.
  private struct IntrinsicCall {
    let beginning, separator: Instruction
  }

  private func declared(_ intrinsic: Intrinsic) -> IntrinsicCall {
    let type = Lanes.type(intrinsic.element, width: intrinsic.width)
    let suffix = Self.suffix(intrinsic.element, width: intrinsic.width)
    let function = "\(type) @llvm.\(intrinsic.stem).\(suffix)("
    let types = [String](repeating: type, count: intrinsic.count)
    declare("declare \(function)\(types.joined(separator: ", ")))")
    let call = IntrinsicCall(beginning: "call \(function)\(type) ", separator: ", \(type) ")
    intrinsics[intrinsic] = call
    return call
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

  /// An instruction for each vector: its beginning, the operands with what stands between them, its end.
  private func lanes(
    _ element: ElementType, _ width: Int, _ beginning: Instruction, _ operands: Lanes...,
    separator: Instruction = .comma, end: Instruction = .nothing
  ) -> Lanes {
    lanes(element, width, beginning, operands, separator, end)
  }

  private func lanes(
    _ element: ElementType, _ width: Int, _ beginning: Instruction, _ operands: [Lanes],
    _ separator: Instruction, _ end: Instruction
  ) -> Lanes {
    let count = operands.reduce(1) { max($0, $1.names.count) }
    var names: [String] = []
    names.reserveCapacity(count)
    forEachVector(count) { vector in
      let result = name()
      names.append(result)
      beginning.write(defining: result, operands.lazy.map { $0[vector] }, separator, end, into: &pieces)
    }
    return Lanes(names: names, element: element, width: width)
  }
}
