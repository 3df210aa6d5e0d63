// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

extension Option {
  static let steps = Option(
    "steps", value: "N", "how many steps are run (default: as many as the inputs have, or 1)")
  static let bind = Option(
    "bind", value: "NAME=N",
    "how long a named axis of the inputs is, where no given shape says it (repeatable)")
  static let expect = Option(
    "expect", value: "FILE",
    "compares the outputs with those in a file, or, as NAME=FILE, one of them; the exit code is 4 where one differs"
  )
  static let tolerance = Option(
    "tolerance", value: "T", "how far a number may be from the one that --expect has (default: 1e-5)")
}

extension Subcommand {
  static let run = Subcommand(
    name: "run", operands: "MODEL",
    summary: "runs a model of steps on arrays",
    explanation: """
      MODEL is a model without frames: one step takes arrays, and makes arrays. MODEL alone shows what goes in,
      what comes out, and what is remembered from step to step.

      Arrays come from files of NumPy (.npy, .npz) or safetensors. --input FILE is for the only input, or gives
      all inputs that arrays of FILE are called as; --input NAME=FILE is for one of several, NAME=FILE:ENTRY
      takes an array that is called otherwise. Whatever their numbers are, they become floats of 32 bits. Named
      axes are as long as those of the arrays; --bind says it where no array does.

      An array with one more axis in front has a row for each step. The steps go one after the other, and what
      the model remembers stays; an array of the input's own shape goes into each. Outputs get the axis of steps
      in front then. --steps N takes the first N, or repeats what is the same in each.

      --output FILE is an .npz with all outputs, or an .npy with the only one; NAME=FILE is for one of several.
      Files appear together when they are whole. Without --output, the outputs are printed, large ones by their
      first numbers; with --json, up to \(StepResults.mostValues) numbers of each. With --check, every value of
      the model is looked at; what is found is said with its step, nothing is written, and the exit code is 4.
      With --expect, what was computed is written first, and each output that differs gets a line.
      """,
    example: """
      legato run classifier.json
        legato run classifier.json --input features.npy --output scores.npy
        legato run gru.json --input x=in.npz:audio --input h=start.npy -o out.npz --expect golden.npz --tolerance 1e-6
      """,
    options: [
      .then, .set, .preset, .input, .bind, .steps, .output, .force, .json, .check, .expect, .tolerance,
      .cpu, .optimize, .passes, .stopAfter,
    ]
  ) { arguments, console in
    try StepRun(arguments).run(console)
  }
}

extension Arguments {
  /// The extents that `--bind` says.
  func bound() throws(Failure) -> [String: Int] {
    var bound: [String: Int] = [:]
    for text in values(of: .bind) {
      let equals = text.firstIndex(of: "=") ?? text.startIndex
      guard equals != text.startIndex, let extent = Int(text[text.index(after: equals)...]),
        (1...Limits.elements).contains(extent)
      else {
        throw .usage(
          "--bind takes NAME=N, such as time=10, with a whole number from 1 to \(Limits.elements), not \(quoted(text))"
        )
      }
      guard bound.updateValue(extent, forKey: String(text[..<equals])) == nil else {
        throw .usage("--bind \(printable(text)): \(quoted(String(text[..<equals]))) is bound twice")
      }
    }
    return bound
  }
}
