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

/// The messages about the model `m` of a stream whose graph has these entries, such as `y=tanh(x)`: a line each, from
/// the seventh on.
///
/// - Parameters:
///   - outputs: their names, as the file has them.
///   - head: members of the model in front of its inputs.
func messages(aboutGraph entries: [String], outputs: String = "\"y\"", head: String = "") -> [String] {
  let lines = entries.map {
    "\"\($0.prefix(while: { $0 != "=" }))\":\"\($0.drop(while: { $0 != "=" }).dropFirst())\""
  }
  let text = """
    {"legato": 1,\(head)
    "inputs": {"x": {"shape": [4, "frames"]}, "mono": {"shape": ["frames"]}},
    "parameters": {"gain": {"default": 1, "minimum": 0, "maximum": 2}, "level": {"default": 1, "minimum": 0, "maximum": 2, "ramp": 0}},
    "weights": {"conv.weight": [[[1, 2, 3]]], "matrix": [[1, 2, 3, 4]], "bias": [1], "one": 1},
    "outputs": [\(outputs)],
    "graph": {
    \(lines.joined(separator: ",\n"))
    }}
    """
  return messages(about: Array(text.utf8), file: "m")
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
