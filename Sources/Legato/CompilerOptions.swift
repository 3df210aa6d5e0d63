// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPasses
internal import GraphPlanning
internal import NativeCode

/// What decides how a model is compiled. None of it changes what the model means.
public struct CompilerOptions: Hashable, Sendable {
  /// The CPU that code is made for, one of `cpus`.
  public var cpu = "host"
  /// Names of optimisations that are switched off; `optimizations` lists all.
  public var disabled: Set<String> = []

  public init(cpu: String = "host", disabled: Set<String> = []) {
    self.cpu = cpu
    self.disabled = disabled
  }

  /// The CPUs that can be named: `host`, `x86-64`, `x86-64-v3` and `x86-64-v4`.
  public static var cpus: [String] { Target.names }

  /// The names of all optimisations that can be switched off.
  public static var optimizations: [String] { Pipeline.switches }

  /// - Throws: `ModelError.code` where no CPU, or no optimisation, has such a name.
  func lowered() throws(ModelError) -> CompileOptions {
    let known = Self.optimizations
    if let name = disabled.subtracting(known).min() {
      let list = known.joined(separator: ", ")
      throw .code("no optimisation is called \(quoted(name)): choose among \(list)")
    }
    let target: Target
    do throws(NativeCodeError) { target = try Target.named(cpu) } catch { throw ModelError(error) }
    return CompileOptions(target: target, pipeline: Pipeline(disabled: disabled))
  }
}
