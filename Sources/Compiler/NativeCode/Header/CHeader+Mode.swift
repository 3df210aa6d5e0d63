// SPDX-License-Identifier: Apache-2.0

internal import GraphPlanning

/// The floating-point mode of a thread, in the words of CRealtime.
extension CHeader {
  var mode: String {
    let (enter, leave) = target.architecture == "aarch64" ? aarch64Mode : x86Mode
    return """
      static inline uint64_t \(prefix)_enter_mode(void) {
      \(enter)
      }

      static inline void \(prefix)_leave_mode(uint64_t mode) {
      \(leave)
      }
      """
  }

  private var x86Mode: (enter: String, leave: String) {
    (
      """
        uint64_t mode = __builtin_ia32_stmxcsr();
        __builtin_ia32_ldmxcsr(0x9fc0);
        return mode;
      """, "  __builtin_ia32_ldmxcsr((uint32_t)mode);"
    )
  }

  private var aarch64Mode: (enter: String, leave: String) {
    let write = { (word: String) in #"  __asm__ volatile("msr fpcr, %0" : : "r"(\#(word)) : "memory");"# }
    return (
      """
        uint64_t mode;
        __asm__ volatile("mrs %0, fpcr" : "=r"(mode) : : "memory");
      \(write("(uint64_t)1 << 24"))
        return mode;
      """, write("mode")
    )
  }
}
