// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import GraphIR
internal import Legato
internal import StepRunning

extension Option {
  static let steps = Option(
    "steps", value: "N", "how many steps are run (default: as many as the inputs have, or 1)")
  static let bind = Option(
    "bind", value: "NAME=N", isRepeatable: true,
    "how long a named axis of the inputs is, where no given shape says it; of an ONNX file also what stands in place of "
      + "an input: a number, [2,-1], or a file of an array (repeatable)")
  static let state = Option(
    "state", value: "INPUT:OUTPUT", isRepeatable: true,
    "makes an input of an ONNX file what an output of the step before is, zero at first (repeatable)")
  static let stream = Option(
    "stream", value: "INPUT[:AXIS]",
    "makes a stream of an ONNX file whose input is a stretch of time: frames go in along that axis, one after the other"
  )
  static let expect = Option(
    "expect", value: "FILE",
    "compares the outputs with those in a file, or, as NAME=FILE, one of them; the exit code is 4 where one differs"
  )
  static let tolerance = Option(
    "tolerance", value: "T", "how far a number may be from the one that --expect has (default: 1e-5)")
  static let image = Option(
    "image", value: "NAME=FORM", isRepeatable: true,
    "how a picture becomes the numbers of an input: FORMAT[,NORMALISATION][,RESIZE][,CROP], such as RGB,[-1,1] (repeatable)"
  )
  static let labels = Option(
    "labels", value: "FILE",
    "a text with a name in each line, for the numbers of a classifier; as NAME=FILE, of one output (repeatable)"
  )
  static let top = Option("top", value: "N", "prints the labels of the N largest numbers of a classifier")
}

extension Subcommand {
  static let run = Subcommand(
    name: "run", operands: "MODEL",
    summary: "runs a model of steps on arrays or pictures",
    explanation: """
      MODEL is a model without frames: one step takes arrays, and makes arrays. MODEL alone shows what goes in,
      what comes out, and what is remembered from step to step.

      Arrays come from files of NumPy (.npy, .npz) or safetensors. --input FILE is for the only input, or gives
      all inputs that arrays of FILE are called as; --input NAME=FILE is for one of several, NAME=FILE:ENTRY
      takes an array that is called otherwise. Whatever their numbers are, they become floats of 32 bits; an input of
      whole numbers, as an ONNX file declares it, takes no others. Names are those that are shown, or the file's. Named
      axes are as long as those of the arrays; --bind says it where no array does.

      An array with one more axis in front has a row for each step. The steps go one after the other, and what
      the model remembers stays; an array of the input's own shape goes into each. Outputs get the axis of steps
      in front then. --steps N takes the first N, or repeats what is the same in each.

      An input may be a picture, PNG or JPEG: the model says so, or --image NAME=FORMAT[,NORMALISATION][,RESIZE][,CROP].
      FORMAT is RGB, BGR or grey; NORMALISATION [0,1] (default), [-1,1] or other numbers for black and white,
      ImageNet, or mean=[…],deviation=[…] with a number for each channel; RESIZE bilinear (default) or area. The
      picture is stretched to the input's shape; with crop its middle is taken, with crop=0.875 so much of that.
      Several --input for one input are a batch of pictures where it has an axis for one, else as many steps. With
      --top N, the labels of an output's N largest numbers are printed, in JSON, too; the model has them, or a file
      that --labels names.

      --output FILE is an .npz with all outputs, or an .npy with the only one; NAME=FILE is for one of several.
      Files appear together when they are whole. Without --output, the outputs are printed, large ones by their
      first numbers; with --json, up to \(StepResults.mostValues) numbers of each. With --check, every value of
      the model is looked at; what is found is said with its step, nothing is written, and the exit code is 4.
      With --expect, outputs of another shape are said before anything is run; else what was computed is written
      first, and each output that differs gets a line.
      """,
    example: """
      legato run classifier.json
        legato run classifier.json --input features.npy --output scores.npy
        legato run classifier.json --input picture=cat.png --top 5
        legato run net.onnx --input data=cat.jpg --image data=RGB,ImageNet --labels names.txt --top 5
        legato run gru.json --input x=in.npz:audio --input h=start.npy -o out.npz --expect golden.npz --tolerance 1e-6
      """,
    options: [
      .function, .then, .set, .preset, .input, .image, .bind, .state, .steps, .labels, .top, .output, .force,
      .json,
      .check,
      .expect, .tolerance,
      .cpu, .optimize, .passes, .stopAfter,
    ],
    repeatable: [.input, .labels, .output, .expect]
  ) { arguments, console in
    try StepRun(arguments).run(console)
  }
}

extension Arguments {
  /// The forms that `--image` says, by inputs.
  func namedImageForms(of model: Model) throws -> [String: ImageForm] {
    var forms: [String: ImageForm] = [:]
    let ports = PortNames(inputsOf: model)
    for text in values(of: .image) {
      func refusal(_ reason: String) -> Failure { .usage("--image \(printable(text)): \(reason)") }
      let (name, form) = try ports.form(text)
      guard let input = name ?? ports.single else {
        let known = ports.all.isEmpty ? "no inputs" : "the inputs \(ports.list)"
        throw refusal("the model has \(known); say which is meant as NAME=FORM")
      }
      guard forms[input] == nil else {
        throw refusal("the input \(quoted(input)) has a form already")
      }
      forms[input] = try Failure.at("--image \(printable(text)): ") { () throws(RequestError) in
        try ImageForm(form)
      }
    }
    return forms
  }
}
