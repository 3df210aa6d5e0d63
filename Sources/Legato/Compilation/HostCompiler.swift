// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning
internal import NativeCode

/// The compiler on this machine: the libLLVM that was found, and the CPU that it sees.
public struct HostCompiler: Hashable, Sendable {
  /// LLVM's version, such as `19.1.7`.
  public let version: String
  /// LLVM's name of the CPU, such as `znver4`.
  public let cpu: String
  /// The number of floats in a vector register.
  public let lanes: Int

  /// Opens libLLVM, unless it is open already.
  ///
  /// - Throws: `ModelError.code` where libLLVM is missing.
  public static func found() throws(ModelError) -> HostCompiler {
    do throws(NativeCodeError) {
      let (library, target) = (try LLVMLibrary.shared(), try Target.host())
      return HostCompiler(version: library.version, cpu: target.cpu, lanes: target.lanes)
    } catch {
      throw ModelError(error)
    }
  }
}
