// SPDX-License-Identifier: Apache-2.0

internal import HandKernels

/// Counts instructions on the processor itself, which stops behind each of them: slow, but of the very code that is
/// timed, whatever it consists of.
enum Steps {
  /// The instructions of one execute; nil where the machine does not step.
  static func count(_ instrument: Instrument) -> Int? {
    instrument.run(2)
    let (nothing, something) = (steps(instrument, 0), steps(instrument, 1))
    return nothing > 0 && something > nothing ? something - nothing : nil
  }

  /// The instructions of so many executes, and of what stands around them, which is the same for any number.
  private static func steps(_ instrument: Instrument, _ times: Int) -> Int {
    hand_begin_steps()
    instrument.run(times)
    return hand_end_steps()
  }
}
