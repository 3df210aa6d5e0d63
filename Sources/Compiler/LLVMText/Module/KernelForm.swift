// SPDX-License-Identifier: Apache-2.0

/// The text of a function in which places of the workspace are left open.
///
///     buffer 3 ← tan(parameter 0)        getelementptr i8, ptr %workspace, i64 $0$      places 64, 1024
///     buffer 7 ← tan(parameter 5)        the same text                                  places 144, 3072
///
/// Kernels of one form have one function, which is told its places by those who call it. What is computed is the same.
/// Code that runs all the time has its places in its instructions; so has a form that only one kernel has.
struct KernelForm {
  let body: String
  /// Bytes from the workspace's beginning, in the order in which the text asks for them.
  let places: [Int]

  /// The mark that stands in the text for a place.
  static func mark(_ place: Int) -> String { "$\(place)$" }

  /// The function of this kernel alone.
  func function(_ name: String) -> String {
    Self.function(name, KernelEmitter.parameterList, filled { String(places[$0]) })
  }

  /// The function of all kernels of the form.
  func sharedFunction(_ name: String) -> String {
    let parameters = places.indices.map { ", i64 %place.\($0)" }
    return Self.function(name, KernelEmitter.parameterList + parameters.joined(), filled { "%place.\($0)" })
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
    guard !places.isEmpty else { return body }
    var result = ""
    result.reserveCapacity(body.utf8.count)
    for (index, part) in body.utf8.split(separator: UInt8(ascii: "$"), omittingEmptySubsequences: false)
      .enumerated()
    {
      let part = Substring(part)
      if index.isMultiple(of: 2) { result += part } else if let place = Int(part) { result += text(place) }
    }
    return result
  }
}
