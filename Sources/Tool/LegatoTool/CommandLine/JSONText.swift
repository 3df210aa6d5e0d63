// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import Foundation

/// A result as JSON, the same each time: indented, the keys in order.
func json(_ value: some Encodable) throws(Failure) -> String {
  let encoder = JSONEncoder()
  encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
  do {
    return String(decoding: try encoder.encode(value), as: UTF8.self) + "\n"
  } catch {
    throw .failed("the result cannot be written as JSON: \(error)")
  }
}
