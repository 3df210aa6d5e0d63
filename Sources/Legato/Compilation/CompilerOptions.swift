// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import GraphPlanning
package import NativeCode

/// Options that decide how a model is compiled. None of them changes its meaning.
public struct CompilerOptions: Hashable, Sendable {
  /// The goal of code generation; the sound has the same bits.
  public enum Goal: String, Hashable, Sendable, CaseIterable {
    /// As fast as can be; the default.
    case speed
    /// As few bytes of code as can be.
    case size
  }

  /// The CPU that code is made for, one of `cpus`.
  public var cpu = "host"
  /// The machine that object files are for, such as `aarch64-linux-gnu`, one of whose `cpus(ofTriple:)` is the CPU; nil
  /// is Linux on any machine with the CPU.
  public var triple: String?
  /// Speed or size of the code.
  public var goal = Goal.speed
  /// Names of optimisations that are switched off; `optimizations` lists all.
  public var disabled: Set<String> = []
  /// The most rewrites that all passes make together; nil for as many as they find. Halving it finds
  /// the one that breaks something.
  public var stopAfter: Int?
  /// The cache of code that runs on this machine; nil for none.
  package var cache: CodeCache?

  /// Whether code is kept in the user's cache folder (`LEGATO_CACHE`, or `legato` in that of the system), so that the
  /// same model need not be compiled again on this machine; not at first.
  public var keepsCode: Bool {
    get { cache != nil }
    set { cache = newValue ? cache ?? .ofUser() : nil }
  }

  public init(
    cpu: String = "host", triple: String? = nil, goal: Goal = .speed, disabled: Set<String> = [],
    stopAfter: Int? = nil
  ) {
    self.cpu = cpu
    self.triple = triple
    self.goal = goal
    self.disabled = disabled
    self.stopAfter = stopAfter
  }

  /// The CPUs that can be named: `host`, `x86-64`, `x86-64-v3`, `x86-64-v4` and `aarch64`.
  public static var cpus: [String] { Target.names }

  /// The CPUs of a triple's machine, the most common one first; none where no code can be made for it.
  public static func cpus(ofTriple triple: String) -> [String] { Target.names(ofTriple: triple) }

  /// The names of all optimisations that can be switched off.
  public static var optimizations: [String] { Pipeline.switches }

  /// The names of the optimisations that a list switches off. It is read from left to right: `all`, `none`, `-name` or
  /// `name`. One that begins with a name begins with none.
  ///
  /// - Throws: `RequestError` where no optimisation has such a name.
  public static func disabled(by list: String) throws(RequestError) -> Set<String> {
    let all = Set(optimizations)
    let words = list.split(separator: ",", omittingEmptySubsequences: false)
    let beginsEmpty = words.first.map { !$0.hasPrefix("-") } ?? false
    var disabled = beginsEmpty ? all : []
    for word in words {
      let name = word.hasPrefix("-") ? String(word.dropFirst()) : String(word)
      switch word {
      case "all": disabled = []
      case "none": disabled = all
      case _ where !all.contains(name):
        let sign = word.hasPrefix("-") ? "-" : ""
        let nearest = nearestName(to: name, among: optimizations).map { "did you mean \(sign)\($0)?" }
        let hint = nearest ?? "there are all, none, \(alternatives(optimizations, "and"))"
        throw RequestError("no optimisation is called \(quoted(name)); \(hint)")
      case _ where word.hasPrefix("-"): disabled.insert(name)
      case _: disabled.remove(name)
      }
    }
    return disabled
  }

  /// - Throws: `ModelError.code` where no CPU, or no optimisation, has such a name.
  func lowered() throws(ModelError) -> CompileOptions {
    let known = Self.optimizations
    if let name = disabled.subtracting(known).min() {
      let list = known.joined(separator: ", ")
      throw .code("no optimisation is called \(quoted(name)): choose among \(list)")
    }
    let target: Target
    do throws(NativeCodeError) {
      target = try Target.named(cpu, triple: triple, cache: cache)
    } catch {
      throw ModelError(error)
    }
    return CompileOptions(
      target: target, pipeline: Pipeline(disabled: disabled, limit: stopAfter ?? .max), goal: goal.planned,
      cache: cache)
  }
}

extension CompilerOptions.Goal {
  fileprivate var planned: GraphPlanning.Goal {
    switch self {
    case .speed: .speed
    case .size: .size
    }
  }
}
