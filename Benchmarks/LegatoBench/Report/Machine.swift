// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import GraphPlanning
internal import NativeCode

/// What the figures were measured on.
enum Machine {
  static var processorName: String {
    let text = (try? String(contentsOfFile: "/proc/cpuinfo", encoding: .utf8)) ?? ""
    let line = text.split(separator: "\n").first { $0.hasPrefix("model name") }
    return line?.split(separator: ":").last.map { $0.trimmingCharacters(in: .whitespaces) }
      ?? "unknown processor"
  }

  /// How many threads wanted to run lately, over 1, 5 and 15 minutes.
  static var load: String {
    var averages = [Double](repeating: 0, count: 3)
    let count = unsafe getloadavg(&averages, 3)
    return averages.prefix(max(0, Int(count))).map { String(format: "%.2f", $0) }.joined(separator: " ")
  }

  static func describe(in table: Table, loading: Double) throws {
    let (library, target) = (try LLVMLibrary.shared(), try Target.host())
    table.note("\(processorName); target \(target.cpu), \(target.vectorBytes * 8)-bit vectors")
    table.note("LLVM \(library.version), opened in \(Table.number(loading * 1e-6)) ms")
    table.note(
      "load \(load): what else runs on the machine lengthens p99 first, then medians; ratios are of neighbouring batches"
    )
  }
}
