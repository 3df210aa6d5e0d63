// SPDX-License-Identifier: Apache-2.0

/// Reads the text of a module again and counts its calls, independently of who wrote them.
///
/// Each names a function of the module, and none of them comes back to itself: what runs is known beforehand, and so
/// is how deep the stack grows. Instructions that are written as calls (`llvm.fma`) count as none; where the machine
/// does not have one of them, the object refers to a function outside, which the check of its symbols sees.
package struct CallCensus: Sendable {
  /// Calls of functions by their name.
  package private(set) var directCalls = 0
  /// Calls through a pointer.
  package private(set) var indirectCalls = 0
  package private(set) var inlineAssembly = 0
  /// Functions that can come back to themselves.
  package private(set) var recursiveFunctions: [String] = []
  /// Assembly, indirect calls and recursion, one sentence each.
  package private(set) var violations: [String] = []

  private var callees: [String: Set<String>] = [:]

  package init(_ module: ModuleReading) {
    inlineAssembly = module.assembly.count
    violations = module.assembly.map { "assembly stands beside the functions: \($0)" }
    for function in module.functions {
      for call in function.calls { count(call, in: function.name) }
    }
    recursiveFunctions = callees.keys.filter { reaches($0, from: $0) }.sorted()
    violations += recursiveFunctions.map { "@\($0) can come back to itself" }
  }

  private mutating func count(_ call: ModuleReading.Call, in function: String) {
    if call.isAssembly {
      inlineAssembly += 1
      violations.append("@\(function) has assembly in it: \(call.text)")
    } else if let callee = call.callee {
      guard !call.isIntrinsic else { return }
      directCalls += 1
      callees[function, default: []].insert(callee)
    } else {
      indirectCalls += 1
      violations.append("@\(function) makes an indirect call: \(call.text)")
    }
  }

  private func reaches(_ goal: String, from start: String) -> Bool {
    var seen: Set<String> = []
    var open = Array(callees[start] ?? [])
    while let name = open.popLast() {
      if name == goal { return true }
      if seen.insert(name).inserted { open += callees[name] ?? [] }
    }
    return false
  }

  /// The most that is on the stack at once below a function, when each takes as much; nil where a function comes back,
  /// or where it is not known of one what it takes.
  package func deepestStack(below function: String, _ bytes: (String) -> Int?) -> Int? {
    guard recursiveFunctions.isEmpty else { return nil }
    var known: [String: Int] = [:]
    func depth(_ name: String) -> Int? {
      if let depth = known[name] { return depth }
      let below = (callees[name] ?? []).map(depth)
      guard let own = bytes(name), !below.contains(nil) else { return nil }
      known[name] = own + (below.compactMap { $0 }.max() ?? 0)
      return known[name]
    }
    return depth(function)
  }
}
