// SPDX-License-Identifier: Apache-2.0

import CALSAMessages

/// The messages of alsa-lib on this thread meanwhile, which it would write to standard error: the first message and the
/// last, where there are several.
@discardableResult
func muted(_ body: () throws -> Void) rethrows -> [String] {
  CALSAKeepMessages()
  CALSAForgetMessages()
  try body()
  let messages = unsafe [String(cString: CALSAFirstMessage()), String(cString: CALSALastMessage())]
  return messages.filter { !$0.isEmpty }
}
