// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphPlanning
internal import NativeCode
internal import RealtimeWatch

/// The machine that the figures were measured on.
struct Machine: Codable {
  var processor: String
  /// The one that everything ran on.
  var processorNumber: Int32
  /// The target of the code.
  var target: String
  var vectorBits: Int
  var llvm: String
  /// How long libLLVM took to open.
  var llvmMilliseconds: Double
  /// The time of two readings of the clock, which is subtracted from single calls.
  var clockNanoseconds: Double
  /// Whether system calls are counted, in words.
  var systemCalls: String
  /// How many threads wanted to run lately, over 1, 5 and 15 minutes.
  var loadBefore: String
  var loadAfter = ""

  /// - Throws: where there is no libLLVM.
  static func find(processor number: Int32) throws -> Machine {
    let begin = Clock.nanoseconds
    let library = try LLVMLibrary.shared()
    let loading = Clock.nanoseconds - begin
    let target = try Target.host()
    return Machine(
      processor: processorName, processorNumber: number, target: target.cpu,
      vectorBits: target.vectorBytes * 8, llvm: "\(library.version)", llvmMilliseconds: loading * 1e-6,
      clockNanoseconds: Clock.overhead,
      systemCalls: RealtimeWatch.seesSystemCalls ? "counted" : "not counted here", loadBefore: load)
  }

  static var load: String {
    var averages = [Double](repeating: 0, count: 3)
    let count = unsafe getloadavg(&averages, 3)
    return averages.prefix(max(0, Int(count))).map { String(format: "%.2f", $0) }.joined(separator: " ")
  }

  static var processorName: String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
      ?? "unknown processor"
  }

  func describe(in table: Table) {
    table.note("\(processor), number \(processorNumber); target \(target), \(vectorBits)-bit vectors")
    table.note("LLVM \(llvm), opened in \(Table.number(llvmMilliseconds)) ms")
    table.note(
      "two readings of the clock take \(Table.number(clockNanoseconds)) ns; system calls are \(systemCalls)")
    table.note(
      "load \(loadBefore): what else runs on the machine lengthens p99 first, then medians; ratios are of neighbouring "
        + "batches")
  }
}
