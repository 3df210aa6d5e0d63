// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning
internal import LLVMText
internal import NativeCode

/// Proofs that are read from the code, and hold for any input.
extension Verification {
  var proofs: [Finding] {
    let module = ModuleReading(llvmText)
    let calls = CallCensus(module)
    return [symbols, directness(calls), ends(LoopCensus(module)), stack(calls), data, workspace] + statements
  }

  private func proof(
    _ name: String, holds: Bool, _ sentence: String, _ figures: [String: Figure]
  ) -> Finding {
    Finding(.proved, name, holds ? .holds : .broken, sentence, figures)
  }

  /// Without an undefined symbol nothing outside can be called.
  private var symbols: Finding {
    let undefined = (try? ELFContents(object.bytes))?.undefinedSymbols ?? ["(unreadable object)"]
    return proof(
      "symbols", holds: undefined.isEmpty,
      undefined.isEmpty
        ? "none undefined: the code cannot call anything outside of itself"
        : "undefined: \(undefined.joined(separator: ", "))",
      ["undefinedSymbols": .names(undefined)])
  }

  private func directness(_ census: CallCensus) -> Finding {
    proof(
      "calls", holds: census.violations.isEmpty,
      census.violations.first
        ?? "\(census.directCalls), each direct; no recursion, no assembly by hand",
      [
        "directCalls": .count(census.directCalls), "indirectCalls": .count(census.indirectCalls),
        "recursiveFunctions": .names(census.recursiveFunctions),
        "inlineAssembly": .count(census.inlineAssembly),
      ])
  }

  private func ends(_ census: LoopCensus) -> Finding {
    var parts = ["\(census.countedLoops) counted"]
    if census.mostRounds > 0 { parts[0] += ", of at most \(counted(census.mostRounds, "round"))" }
    if census.tileLoops > 0 { parts.append("\(census.tileLoops) over tiles, at most a round for each frame") }
    return proof(
      "loops end", holds: census.violations.isEmpty,
      census.violations.first ?? parts.joined(separator: "; "),
      [
        "countedLoops": .count(census.countedLoops), "mostRounds": .count(census.mostRounds),
        "tileLoops": .count(census.tileLoops),
      ])
  }

  /// The bytes of stack that execution needs at most: no more than a fraction of the smallest thread's.
  private func stack(_ census: CallCensus) -> Finding {
    guard let bytes = object.deepestStack(census) else {
      let reason =
        census.recursiveFunctions.isEmpty
        ? "not known: a function says nothing of its frame" : "without end: a function comes back to itself"
      return proof("stack", holds: false, reason, [:])
    }
    return proof(
      "stack", holds: bytes <= Self.maximumStackBytes, "at most \(bytes) bytes",
      ["stackBytes": .count(bytes)])
  }

  /// A quarter of the smallest stack that a thread is given in practice (musl's 128 KiB).
  private static let maximumStackBytes = 32 * 1024

  /// The proof that the code has no memory of its own: it writes only to the workspace and the caller's outputs.
  private var data: Finding {
    let writable = object.sections.filter(\.isWritable)
    let bytes = writable.reduce(0) { $0 + $1.size }
    return proof(
      "data", holds: bytes == 0,
      bytes == 0
        ? "none that changes: contexts share code and weights only"
        : "\(bytes) bytes that change in \(writable.map(\.name).joined(separator: ", "))",
      ["writableDataBytes": .count(bytes)])
  }

  private var workspace: Finding {
    let layout = plan.layout
    return proof(
      "workspace", holds: planViolations.isEmpty,
      planViolations.first
        ?? "\(layout.size) bytes, of them \(layout.stateRange.count) state; what is in use together does not overlap",
      ["workspaceBytes": .count(layout.size), "stateBytes": .count(layout.stateRange.count)])
  }

  // MARK: Figures that promise nothing

  private var statements: [Finding] {
    let unit = isStream ? "Frame" : "Step"
    let weights = plan.kernelGraph.weights.count * MemoryLayout<Float>.stride
    let (flops, bytes) = (plan.graph.flopsPerFrame, KernelStatistics(plan.kernelGraph).bytesMoved)
    var statements = [
      Finding(
        .proved, "code", .stated, "\(counted(object.codeBytes, "byte")), and \(weights) of weights",
        ["codeBytes": .count(object.codeBytes), "weightsBytes": .count(weights)]),
      Finding(
        .proved, "cost", .stated,
        "\(counted(flops, "FLOP")) and \(counted(bytes, "byte")) moved in each \(unit.lowercased())",
        ["flopsPer\(unit)": .count(flops), "bytesMovedPer\(unit)": .count(bytes)]),
    ]
    if isStream {
      let milliseconds = Double(plan.latency) / graph.sampleRate * 1e3
      statements.append(
        Finding(
          .proved, "latency", .stated,
          counted(plan.latency, "frame")
            + (plan.latency == 0 ? "" : ", which are \(Self.rounded(milliseconds)) ms"),
          ["latencyFrames": .count(plan.latency), "latencyMilliseconds": .number(milliseconds)]))
    }
    return statements
  }
}

extension ObjectFile {
  /// The bytes of stack that a call of the whole takes at most; nil where a function comes back to itself, or is
  /// not known.
  ///
  /// To each function's frame come the return address, and what is skipped where a frame begins at a cache line.
  fileprivate func deepestStack(_ census: CallCensus) -> Int? {
    census.deepestStack(below: ModuleText.entryName) { name in
      stackBytes[name].map { frame in frame == 0 ? 8 : frame + 8 + 64 }
    }
  }
}
