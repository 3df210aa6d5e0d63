// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import GraphPlanning
internal import RealtimeCore

/// The C header of an object file: all that a program has to know to run it, in C99 and C++.
///
/// What native code leaves to the context stands in it as small inline functions: beginning anew, turning parameters,
/// counts, and the floating-point mode. They mean what RealtimeCore's `Wiring` does, bit for bit; ramps are the same
/// text.
package struct CHeader: Sendable {
  /// The prefix of every identifier.
  package let prefix: String
  /// The one symbol that the object must export.
  package var symbol: String { prefix + "_execute" }

  let model: String
  let layout: ProgramLayout
  let target: Target
  let sampleRate: Double
  /// The author's summary of each parameter.
  let summaries: [String]
  let constants: String

  /// - Parameter prefix: nil makes it of the model's name.
  package init(_ plan: Plan, prefix: String? = nil) {
    let graph = plan.graph
    self.prefix = prefix ?? CNames.prefix(of: graph.name)
    model = graph.name
    layout = plan.programLayout
    target = plan.target
    sampleRate = graph.sampleRate
    summaries = graph.parameters.map(\.summary)
    constants = self.prefix.uppercased()
  }

  /// Whether a text can be a prefix.
  package static func isPrefix(_ text: String) -> Bool { CNames.isIdentifier(text) }

  package var text: String {
    var names = CNames()
    let parameters = parameterNames(&names)
    let parts = [
      introduction, opening, memory, ports(&names), enumeration(parameters), delays, functions,
      partsOfWorkspace, counts, ramps, beginning, setting, mode, description, closing,
    ]
    return parts.filter { !$0.isEmpty }.joined(separator: "\n\n") + "\n"
  }

  private func parameterNames(_ names: inout CNames) -> [String] {
    layout.parameters.map { names.constant(constants + "_PARAMETER", $0.name) }
  }

  var hasParameters: Bool { !layout.parameters.isEmpty }

  // MARK: Beginning and end

  private var introduction: String {
    let first = layout.parameters.isEmpty ? "" : "\n *     \(prefix)_set(workspace, parameter, value);"
    let rate = layout.executesStream ? " at \(written(sampleRate)) Hz" : ""
    return """
      /*
       * \(Self.comment(model)), made by Legato for \(target.name)\(rate).
       *
       * The code is in the object file of the same name, which calls nothing: no library, no memory, no system.
       *
       *     \(prefix)_init(workspace);\(first)
       *     uint64_t mode = \(prefix)_enter_mode();
       *     \(prefix)_execute(inputs, outputs, workspace, frames);
       *     \(prefix)_leave_mode(mode);
       *
       * A workspace is one running instance. There may be any number of them; each belongs to one thread at a time,
       * and so do the functions that take it.
       */
      """
  }

  private var opening: String {
    let macro =
      switch target.architecture {
      case "aarch64": "__aarch64__"
      case _: "__x86_64__"
      }
    return """
      #ifndef \(constants)_H
      #define \(constants)_H

      #ifndef \(macro)
      #error "this header belongs to an object file for \(target.architecture)"
      #endif

      #include <stddef.h>
      #include <stdint.h>

      #ifdef __cplusplus
      extern "C" {
      #endif
      """
  }

  private var closing: String {
    """
    #ifdef __cplusplus
    }
    #endif

    #endif
    """
  }

  private var memory: String {
    """
    /* Bytes of a workspace, and what its address has to be a multiple of. */
    #define \(constants)_WORKSPACE_SIZE ((size_t)\(layout.workspaceSize.roundedUp(to: 64) + initialBytes))
    #define \(constants)_WORKSPACE_ALIGNMENT ((size_t)64)

    /* \(layout.executesStream ? "Frames" : "Steps") by which the output is late. */
    #define \(constants)_LATENCY \(layout.latency)
    """
  }

  private var description: String {
    """
    /*
     * The same in one line, of which RealtimeCore, Legato's library for audio threads in Swift, makes a program:
     *
     *     let program = try Program(described: \(constants)_PROGRAM) { \(symbol)($0, $1, $2, $4) }
     */
    #define \(constants)_PROGRAM "\(layout.described(as: model))"
    """
  }

  // MARK: Functions

  private var functions: String {
    [execution, lifetime, hasParameters ? turning : "", switching].filter { !$0.isEmpty }.joined(
      separator: "\n\n")
      + "\n\n/* The rest of this header defines these functions. */"
  }

  private var execution: String {
    let count =
      layout.executesStream
      ? "any number of frames, 0 included; how a stream is cut into blocks changes no bit"
      : "one step: frames is 1"
    return """
      /*
       * Executes \(count).
       *
       * An output's row may be exactly the input's row of the same port and number; it must overlap no other memory.
       * Denormals have to count as zero meanwhile: see \(prefix)_enter_mode, or have it done your own way.
       */
      void \(symbol)(const float *const *inputs, float *const *outputs, void *workspace, size_t frames);
      """
  }

  private var lifetime: String {
    let parameters = hasParameters ? ", with parameters at their first values" : ""
    let warmed =
      warms
      ? ". It executes \(layout.prewarm) \(layout.executesStream ? "frames" : "steps") of silence" : ""
    let cleared =
      warms ? "to what the model remembers there" : "and clears what the model remembers"
    let comma = warms ? "" : ","
    let kept =
      hasParameters ? " Parameters keep the values that were last set, and hold them\n * from there on." : ""
    return """
      /* Makes a workspace of memory: at frame 0\(parameters)\(warmed). */
      static inline void \(prefix)_init(void *workspace);

      /*
       * Returns to frame 0\(comma) \(cleared).\(kept)
       */
      static inline void \(prefix)_reset(void *workspace);
      """
  }

  private var turning: String {
    """
    /*
     * Turns a parameter, between two executes: it glides from where it is, and before frame 0 it jumps. A value outside
     * the range is moved into it; not-a-number is ignored, and so is a parameter that there is not. Each call counts: a
     * value that is set and set back begins its way anew.
     */
    static inline void \(prefix)_set(void *workspace, enum \(prefix)_parameter parameter, float value);
    """
  }

  private var switching: String {
    """
    /* Makes this thread round to the nearest number and count denormals as zero; returns the mode it was in. */
    static inline uint64_t \(prefix)_enter_mode(void);

    /* Returns to a mode. */
    static inline void \(prefix)_leave_mode(uint64_t mode);
    """
  }

  /// Text that ends no comment, begins none, and holds nothing that C reads in one.
  static func comment(_ text: String) -> String {
    var result = printable(text, limit: 1000)
    for (sign, harmless) in [("*/", "* /"), ("/*", "/ *"), ("??", "? ?"), ("\\", "/")] {
      result = result.split(separator: sign, omittingEmptySubsequences: false).joined(separator: harmless)
    }
    return result
  }
}
