// SPDX-License-Identifier: Apache-2.0

package import GraphPlanning
package import RealtimeCore

/// Machine code in memory, ready to be called for as long as this object lives.
///
/// References are filled in within the object alone: even a symbol that the check of the object overlooked would find
/// nothing. Code is mapped as readable and executable, constants as readable, neither ever as writable at the same
/// time. The last release unmaps them, which takes locks: it must not happen on the audio thread.
@safe package final class LoadedCode: @unchecked Sendable {  // Only `let`s, and code that does not change.
  /// The function that was asked for; not to be called after this object is gone.
  package let entryPoint: EntryPoint

  private let memory: CodeMemory

  /// Places an object file in memory.
  ///
  /// - Throws: `cannotRunHere` where the object is for another CPU; `entryMissing`; `damagedObject`; `linking`.
  package convenience init(object: ObjectFile, entry: String) throws(NativeCodeError) {
    try object.target.requireRunsHere()
    try self.init(placing: object.bytes, entry: entry)
  }

  /// Places the bytes of an object file for this machine in memory.
  ///
  /// - Throws: `cannotRunHere` where they are for another; `undefinedSymbols`; `entryMissing`; `damagedObject`;
  ///   `linking`.
  package init(placing object: [UInt8], entry: String) throws(NativeCodeError) {
    let contents = try ELFContents(object)
    guard contents.undefinedSymbols.isEmpty else { throw .undefinedSymbols(contents.undefinedSymbols) }
    let image = try CodeImage(contents, pageSize: CodeMemory.pageSize)
    guard image.machine.rawValue == Target.hostArchitecture else {
      throw .cannotRunHere(cpu: image.machine.rawValue, reason: "which is \(Target.hostArchitecture)")
    }
    guard let offset = image.offset(ofFunction: entry) else { throw .entryMissing(name: entry) }
    memory = try CodeMemory(image)
    unsafe entryPoint = unsafe unsafeBitCast(memory.address(at: offset), to: EntryPoint.self)
  }

  /// Makes code of LLVM IR text and places it in memory.
  ///
  /// - Throws: what `ObjectFile.emit` and `init(object:entry:)` throw.
  package static func compile(
    ir: String, entry: String, target: Target
  ) throws(NativeCodeError) -> (code: LoadedCode, object: ObjectFile) {
    try target.requireRunsHere()
    let object = try ObjectFile.emit(ir: ir, target: target)
    return (try LoadedCode(object: object, entry: entry), object)
  }
}
