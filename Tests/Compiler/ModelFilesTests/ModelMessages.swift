// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ModelFiles

/// The messages about a model file, a line for each error; none where it is accepted.
///
/// The door through which every malformed model goes: whatever stage finds an error, its message arrives here.
func messages(about bytes: [UInt8], file: String) -> [String] {
  do throws(Diagnostics) {
    let document = try ModelDocument.decode(bytes, file: file)
    _ = try Graph(importing: document, extents: ["channels": 2], sampleRate: 48_000)
    return []
  } catch {
    return error.all.map(\.description)
  }
}

/// The decoder's own messages about models whose output `y` stands for nothing, which is said as well.
func messages(decoding bytes: [UInt8], file: String) -> [String] {
  do throws(Diagnostics) {
    _ = try ModelDocument.decode(bytes, file: file)
    return []
  } catch {
    return error.all.filter { $0.message != "no value is called 'y'" }.map(\.description)
  }
}
