// SPDX-License-Identifier: Apache-2.0

/// The reason why a command ends before its work is done.
package enum Failure: Error {
  /// The command line asks for what there is not. The message says what there is.
  case usage(String)
  /// The work cannot be done; what the message is about is not a file.
  case failed(String)
  /// Lines that begin with the files, and the places in them, that are at fault.
  case faults([String])
  /// Devices cannot be had, or are gone; each line begins with one.
  case absent([String])
  /// Nobody reads any more what is written.
  case brokenPipe
  /// Promises about a model do not hold; each line begins with the model's file.
  case unverified([String])

  package var exitCode: Int32 {
    switch self {
    case .usage: 2
    case .failed, .faults: 1
    case .absent: 3
    case .unverified: 4
    // 128 + SIGPIPE, where the signal itself does not end the process.
    case .brokenPipe: 141
    }
  }

  /// The message, each line beginning with a place or with the command.
  package func lines(of command: String) -> [String] {
    switch self {
    case .usage(let message), .failed(let message): ["\(command): \(message)"]
    case .faults(let lines), .absent(let lines), .unverified(let lines): lines
    case .brokenPipe: []
    }
  }

  /// The failure of a value that a second one would hide.
  package static func givenTwice(_ option: Option) -> Failure {
    .usage("--\(option.name) is given twice; it takes one value, and the second would hide the first")
  }
}
