// SPDX-License-Identifier: Apache-2.0

import CALSA
import Glibc
import Synchronization

/// What alsa-lib would have written to standard error meanwhile, one message a line.
@discardableResult
func muted(_ body: () throws -> Void) rethrows -> [String] {
  // A handler takes no context; it holds for this thread only.
  let before = unsafe snd_lib_error_set_local { file, line, function, error, format, arguments in
    guard let format = unsafe format, let arguments = unsafe arguments else { return }
    var text = [CChar](repeating: 0, count: 512)
    unsafe vsnprintf(&text, text.count, format, arguments)
    let message = String(decoding: text.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    heard.withLock { $0.append((pthread_self(), message)) }
  }
  defer { unsafe _ = snd_lib_error_set_local(before) }
  try body()
  return heard.withLock { all in
    let mine = all.filter { $0.0 == pthread_self() }.map(\.1)
    all.removeAll { $0.0 == pthread_self() }
    return mine
  }
}

private let heard = Mutex<[(pthread_t, String)]>([])
