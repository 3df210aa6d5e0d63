// SPDX-License-Identifier: Apache-2.0

import Testing

extension ExitTest.Result {
  /// Whether the process ended with these words, rather than for another reason.
  func says(_ words: String) -> Bool {
    String(decoding: standardErrorContent, as: UTF8.self).contains(words)
  }
}
