// SPDX-License-Identifier: Apache-2.0

/// The text of a function in which the numbers that say where things stand are left open: places of the workspace and
/// of the weights, delays.
///
///     buffer 3 ← tan(parameter 0)        getelementptr i8, ptr %workspace, i64 $0$      numbers 64, 1024
///     buffer 7 ← tan(parameter 5)        the same text                                  numbers 144, 3072
///
/// Kernels of one form have one function, which is told where its numbers stand in a table: of a network with a hundred
/// equal layers one is compiled. What is computed is the same. Cycles that run all the time have their numbers in their
/// instructions, as they need many at once, unless small code is wanted; so has a form that only one kernel has.
struct KernelForm {
  /// The text in pieces, see `Instruction`.
  let body: [String]
  /// The numbers in the order in which the text asks for them.
  let numbers: [Int]

  /// The name of the constant in which the numbers of all kernels stand that share a function.
  static let table = "@numbers"

  /// The mark that stands in the text for a number.
  static func mark(_ index: Int) -> String { "$\(index)$" }

  /// The function of this kernel alone.
  func function(_ name: String) -> String {
    Self.function(name, KernelEmitter.parameterList, filled { String(numbers[$0]) })
  }

  /// The function of all kernels of the form.
  func sharedFunction(_ name: String) -> String {
    guard !numbers.isEmpty else { return function(name) }
    let loads = numbers.indices.map { index in
      """
        %number.\(index).place = getelementptr i64, ptr %numbers, i64 \(index)
        %number.\(index) = load i64, ptr %number.\(index).place, align 8

      """
    }
    return Self.function(
      name, KernelEmitter.parameterList + ", ptr %numbers", loads.joined() + filled { "%number.\($0)" })
  }

  private static func function(_ name: String, _ parameters: String, _ body: String) -> String {
    """
    define internal void @\(name)(\(parameters)) #0 {
    entry:
    \(body)  ret void
    }

    """
  }

  private func filled(_ text: (Int) -> String) -> String {
    let body = body.joined()
    guard !numbers.isEmpty else { return body }
    var result = ""
    result.reserveCapacity(body.utf8.count)
    for (index, part) in body.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let part = Substring(part)
      if index.isMultiple(of: 2) { result += part } else if let number = Int(part) { result += text(number) }
    }
    return result
  }
}
