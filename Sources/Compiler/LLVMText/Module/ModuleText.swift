// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import GraphPlanning

/// The LLVM IR of a whole plan: one function that the context calls, and one for each kernel.
package struct ModuleText: Sendable {
  /// The name of the function that the context calls.
  package static let entryName = "legato_execute"

  /// The name of the weights in a module that is linked.
  package static let weightsName = "weights"

  /// The name of a table of the numbers of a tile's frames, as floats, from 1 on.
  static let frameNumbers = "@frame_numbers"

  private let plan: Plan
  private let kernels: String
  /// The entry without its first word.
  private let entry: String

  package init(_ plan: Plan) {
    var writer = ModuleWriter(plan)
    self.plan = plan
    (kernels, entry) = writer.write()
  }

  package var text: String { "\(kernels)define \(entry)" }

  /// The text for a linker: the weights are data of the module, whose numbers the text leaves out, and one function is seen
  /// from outside.
  ///
  ///     void SYMBOL(inputs, outputs, workspace, frames)
  ///
  /// It moves the position on, which otherwise the context does.
  package func text(exporting symbol: String) -> String {
    "\(kernels)define internal \(entry)" + LibraryEmission(plan, symbol: symbol).text
  }
}

private struct ModuleWriter {
  let plan: Plan
  /// The codes in their order, and of each its numbers, and which of the forms it has.
  private var codes: [(name: String, numbers: [Int], form: Int)] = []
  /// The forms, each with the name of the first code that has it, and how many have it.
  private var forms: [(form: KernelForm, name: String, count: Int)] = []
  /// The forms whose text has so many pieces.
  private var formsBySize: [Int: [Int]] = [:]
  private var functions: [String] = []
  /// The numbers of all kernels that share a function.
  private var numbers: [Int] = []
  private var declarations: Set<String> = []

  init(_ plan: Plan) { self.plan = plan }

  /// - Returns: what stands before the entry's first word, and what stands behind it.
  mutating func write() -> (kernels: String, entry: String) {
    let schedules = plan.schedules
    for (index, code) in schedules.blockCodes.enumerated() { add("block_\(index)", code) }
    if let code = schedules.settling { add("settle", code) }
    let moves = Dictionary(grouping: plan.layout.pastMoves.keys) { plan.layout.pastMoves[$0]! }
      .mapValues { $0.sorted { $0.index < $1.index } }
    for (index, step) in schedules.steps.enumerated() {
      for id in moves[index] ?? [] { add("past_\(id.index)", PastEmission(plan, id).form()) }
      if let code = step.settled { add("step_\(index)", code) }
      if let code = step.timeVarying { add("step_\(index)_varying", code) }
    }
    let calls = writeFunctions()
    let steps = schedules.steps.enumerated().map { index, step in
      EntryEmission.Step(
        moves: (moves[index] ?? []).compactMap { calls["past_\($0.index)"] }, settled: calls["step_\(index)"],
        timeVarying: calls["step_\(index)_varying"], followsParameters: step.followsParameters)
    }
    let entry = EntryEmission(
      plan, blockKernels: schedules.blockCodes.indices.compactMap { calls["block_\($0)"] },
      settling: calls["settle"], steps: steps)
    if entry.anyVariation {
      let landing = LandingEmission(plan)
      functions.append(landing.function())
      declarations.formUnion(landing.builder.declarations)
    }
    let function = entry.function(ModuleText.entryName)
    declarations.formUnion(entry.builder.declarations)
    let kernels = frameNumbers + numberTable + functions.map { $0 + "\n" }.joined()
    return (kernels, "\(function)\n\(declarations.sorted().joined(separator: "\n"))\n\n\(attributes)")
  }

  /// Constants that ramps need; aligned so that the vectors of whole stages lie in one cache line each.
  private var frameNumbers: String {
    guard plan.graph.parameters.contains(where: { $0.rampFrames > 0 }) else { return "" }
    let numbers = (0..<Plan.tileFrames).map { "float \(FunctionBuilder.literal(Float($0 + 1)))" }
    return "\(ModuleText.frameNumbers) = internal constant [\(Plan.tileFrames) x float] "
      + "[\(numbers.joined(separator: ", "))], align 64\n\n"
  }

  private var numberTable: String {
    guard !numbers.isEmpty else { return "" }
    let numbers = numbers.map { "i64 \($0)" }.joined(separator: ", ")
    return "\(KernelForm.table) = internal constant [\(self.numbers.count) x i64] [\(numbers)], align 64\n\n"
  }

  private mutating func add(_ name: String, _ code: Schedules.Code) {
    let emitter = KernelEmitter(plan, code)
    if add(name, emitter.form()) { declarations.formUnion(emitter.builder.declarations) }
  }

  /// - Returns: whether no other code has the form.
  @discardableResult
  private mutating func add(_ name: String, _ form: KernelForm) -> Bool {
    let alike = formsBySize[form.body.count, default: []].first { forms[$0].form.body == form.body }
    codes.append((name, form.numbers, alike ?? forms.count))
    if let alike {
      forms[alike].count += 1
    } else {
      formsBySize[form.body.count, default: []].append(forms.count)
      forms.append((form, name, 1))
    }
    return alike == nil
  }

  /// Writes the functions, one for each form, and says how each code is called.
  private mutating func writeFunctions() -> [String: EntryEmission.Call] {
    functions = forms.map { $0.count == 1 ? $0.form.function($0.name) : $0.form.sharedFunction($0.name) }
    var calls: [String: EntryEmission.Call] = [:]
    for (name, own, form) in codes {
      let isTold = forms[form].count > 1 && !own.isEmpty
      calls[name] = EntryEmission.Call(name: forms[form].name, numbers: isTold ? numbers.count : nil)
      if isTold { numbers += own }
    }
    return calls
  }

  /// Nothing is left to LLVM's discretion: no calls made up for loops, denormals as the context sets them, vectors
  /// as wide as they are written.
  private var attributes: String {
    let bits = plan.target.vectorBytes * 8
    let goal =
      switch plan.goal {
      case .speed: ""
      case .size: "minsize optsize "
      }
    return """
      attributes #0 = { nounwind noredzone \(goal)"no-builtins" "denormal-fp-math"="preserve-sign,preserve-sign" \
      "min-legal-vector-width"="\(bits)" "prefer-vector-width"="\(bits)" }

      """
  }
}
