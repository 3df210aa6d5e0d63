// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import LearningPictures
internal import Legato
internal import LegatoTraining

extension Option {
  static let data = Option(
    "data", value: "INPUT:TARGET", isRepeatable: true,
    "a sound and what the model should make of it; a folder with one of sounds or pictures for each class; or, of a model "
      + "of steps, a table (.csv), NAME=FILE for each input and target, or a file of all of them (repeatable)"
  )
  static let loss = Option(
    "loss", value: "EXPRESSION",
    "what is made small: one number of the model's outputs and target (default: the squared error over the power of all "
      + "targets, of steps mse, of classes crossEntropy, which takes the numbers before a softmax, or else the logarithm of its "
      + "probabilities)")
  static let metric = Option(
    "metric", value: "NAME=EXPRESSION", isRepeatable: true, "another number to look at (repeatable)")
  static let learn = Option(
    "learn", value: "NAME", isRepeatable: true,
    "the weights and parameters that learn; * stands for any letters (repeatable; default: all weights, or, of a model "
      + "without, all parameters)")
  static let replace = Option(
    "replace", value: "LAYER:N",
    "gives the last layer, by the name of its arrays or of one of them, another size, N classes, and random weights, as "
      + "the seed says; it alone learns where --learn says nothing")
  static let epochs = Option(
    "epochs", value: "N", "how often the data is gone over (default: 100; of a federated round 1)")
  static let batch = Option(
    "batch", value: "N", "examples of a step (default: 16; at most as many as there are)")
  static let accumulate = Option(
    "accumulate", value: "N",
    "batches whose gradients are added up before weights follow, by their mean over all examples (default: 1)"
  )
  static let learningRate = Option(
    "learning-rate", value: "R",
    "how far a step of the optimizer goes (default: 0.003; of sgd on a federated device 0.1)")
  static let schedule = Option(
    "schedule", value: "FORM",
    "how that rate changes, in steps of the optimizer: warmup:STEPS, linear:STEPS[:TO], cosine:STEPS[:TO] or "
      + "steps:EVERY:FACTOR, or a warm-up and another one behind it: warmup:100,cosine:900 (default: it stays)"
  )
  static let clip = Option("clip", value: "NORM", "the largest norm of a gradient (default: none)")
  static let window = Option(
    "window", value: "FRAMES",
    "frames of an example of sound that are judged (default: 4800); of listen, the readings that the model looks at "
      + "together, where its input leaves that open")
  static let warmup = Option(
    "warmup", value: "FRAMES", "frames before them that only bring the state there (default: 1024)")
  static let chunk = Option(
    "chunk", value: "FRAMES",
    "frames of a window after which weights follow; what the model remembers goes on, and gradients end there (default: "
      + "the window)")
  static let recompute = Option(
    "recompute", value: "FRAMES",
    "frames of a piece of a window that is computed again on the way back: less memory for half as much time again "
      + "(default: all is kept)")
  static let patience = Option(
    "patience", value: "N", "epochs without a better loss that end the run (default: none)")
  static let skipNotFinite = Option(
    "skip-not-finite",
    "goes on where the loss of a batch, or the square of its gradient, is no finite number; nothing of it is learned"
  )
  static let augment = Option(
    "augment", value: "MODEL",
    "a model that examples run through before they are learned from, other each time")
  static let curves = Option("plot", value: "FILE", "a picture of loss and metrics over the epochs (.svg)")
  static let memory = Option(
    "memory", value: "MIB", "the most memory that a step may take (default: what the system has free)")
  static let align = Option(
    "align", "shifts each target onto its sound, to less than a frame, as capture does")
  static let threads = Option(
    "threads", value: "N",
    "how many compute at a time (default: one for each processor); no bit depends on it")
  static let seed = Option(
    "seed", value: "N", "says the order of the examples, and what --initialize draws (default: 1)")
  static let validate = Option(
    "validate", value: "SHARE", "the share of the examples that are held back, and judged (default: 0.1)")
  static let checkpoint = Option(
    "checkpoint", value: "FILE",
    "where the run is written down after each epoch, of short ones after some (.safetensors)")
  static let goOn = Option(
    "resume",
    "goes on where the checkpoint was written, with the same data, loss, batch, windows, validate, augment and seed"
  )
  static let artifacts = Option(
    "artifacts", value: "DIR",
    "writes the programs of training, evaluation and optimizer and a checkpoint into a folder, for a device that learns "
      + "without the model's file; nothing learns here, and --data need not be there")
  static let initialize = Option(
    "initialize", "gives the layers that learn random weights to begin with, as the seed says")
}

extension Subcommand {
  private static let learningOptions: [Option] = [
    .data, .image, .align, .loss, .metric, .batch, .window, .warmup, .hop, .time, .recording, .bind, .threads,
    .memory,
  ]

  static let train = Subcommand(
    name: "train", operands: "MODEL",
    summary: "lets the weights of a model learn from sounds or arrays",
    explanation: """
      MODEL is a model file, a capture or an ONNX file with weights. Of a model of sound, --data in.wav:out.wav says what
      goes in and what should come out; its windows are the examples. Of a model of steps, arrays (.npy, .npz,
      safetensors) whose first axis counts the examples, or the columns of a table, go by the names of the inputs and of
      the target; of a model that listens, a table with a reading in each line, whose windows are the examples. A folder has
      one for each class, called so, with sounds or pictures in it.
      What the model file says in its "train" section holds where no option says otherwise. --replace makes a network
      that is there tell other classes apart: its last layer begins anew, the others stay.

      Weights follow the gradient of the loss by AdamW, batch by batch. After each epoch the examples that were held back
      are judged, whole files of a folder; the weights of the best epoch are written in the end: the model file as it is,
      with its weights in a safetensors file beside it that is called so, too, and with the defaults of parameters that
      have learned, within their ranges; or, of a model of steps, -o x.onnx, a network for other programs. The same seed
      and data give the same bits. Of classes a table says what was taken for what.

      An interruption (SIGINT, SIGTERM, SIGHUP) ends the run behind the batch that it is at: the best epoch is written,
      with --checkpoint the run is written down, and --resume goes on as if nothing had happened; then the program ends
      by the signal. A second interruption ends at once.
      """,
    example: """
      legato train lstm.json --data dry.wav:amp.wav -o amp.json
        legato train lstm.json --data dry.wav:amp.wav --checkpoint run.safetensors --resume -o amp.json
        legato train digits.json --data x=images.npy --data target=labels.npy --loss 'crossEntropy(scores, target)' \\
          -o trained.json
        legato train pets.json --data pets --patience 5 --plot curves.svg -o trained.json
        legato train pets.json --learn 'classifier.*' --artifacts artifacts
        legato train mobilenet.onnx --image x=RGB,ImageNet --replace classifier:2 --data pets -o pets.json
      """,
    options: learningOptions + [
      .accumulate, .learn, .replace, .epochs, .patience, .learningRate, .schedule, .clip, .chunk, .recompute,
      .skipNotFinite,
      .augment, .initialize,
      .seed,
      .validate,
      .checkpoint, .goOn,
      .report, .curves, .output, .artifacts, .force,
    ]
  ) { arguments, console in
    if let folder = arguments.value(of: .artifacts) {
      try writeArtifacts(arguments, to: folder, console)
    } else {
      try TrainingRun(arguments).run(console)
    }
  }

  /// `train --artifacts`: programs for a device that learns.
  private static func writeArtifacts(_ arguments: Arguments, to folder: String, _ console: Console) throws {
    let idle: [Option] = [
      .output, .checkpoint, .goOn, .report, .curves, .augment, .skipNotFinite, .epochs, .patience, .validate,
    ]
    if let option = idle.first(where: arguments.has) {
      throw Failure.usage(
        "--artifacts writes programs, and nothing learns: --\(option.name) says nothing then")
    }
    _ = try arguments.operands("MODEL")
    if LabelledFiles.isFolder(folder) {
      try FilesTogether.check([folder + "/artifacts.json"], replaceExisting: arguments.has(.force))
    }
    let setup = try TrainingSetup(arguments)
    let trainer = try setup.trainer()
    if arguments.has(.initialize) {
      trainer.initializeLayers(seed: UInt64(try arguments.integer(.seed, in: 0...Int.max) ?? 1))
    }
    for note in setup.notes { console.notice(note) }
    try trainer.writeArtifacts(to: folder, replacesExisting: arguments.has(.force))
    console.notice(
      "\(folder): programs that learn \(listed(trainer.learned)) \(setup.batchText(trainer)); a step takes "
        + TrainingRun.size(trainer.memory))
  }

  static let evaluate = Subcommand(
    name: "evaluate", operands: "MODEL",
    summary: "judges a model by sounds or arrays, as train does",
    explanation: """
      The loss and the metrics over all data, as one line each; nothing learns. Of sounds esr is the power of what is
      wrong over that of all targets; --align shifts those of a capture as `legato capture` did, which tells the figure of
      what it held back. Of classes a table says what was taken for what. A number that is not finite makes the exit code 4.
      """,
    example: "legato evaluate amp.json --data dry.wav:amp.wav --metric 'mae=mae(dst, target)'",
    options: [.function] + learningOptions + [.json]
  ) { arguments, console in
    let setup = try TrainingSetup(arguments, mode: .eval)
    let trainer = try setup.trainer(optimizer: .sgd(rate: 0))
    for note in setup.notes { console.notice(note) }
    if let place = setup.foundLabels, let labels = setup.labels {
      let numbers = labels.prefix(8).enumerated().map { "\(quoted($1)) is \($0)" }.joined(separator: ", ")
      console.notice(
        "\(place): \(numbers)\(labels.count > 8 ? ", …" : ""), by the classes there: the output states no 'labels'"
      )
    }
    let (scores, confusion, firstNotFinite) = try trainer.judgement(of: setup.data)
    let classes = confusion.map { ConfusionReport($0, labels: setup.labels) }
    if arguments.has(.json) {
      try console.print(json(EvaluationReport(scores: finite(scores), confusion: classes)))
    } else {
      try console.print(TrainingRun.text(scores, separator: "\n") + "\n")
      if let classes { try console.print(classes.text(console)) }
    }
    let odd = scores.filter { !$0.value.isFinite }.keys.sorted()
    guard odd.isEmpty else {
      throw Failure.unverified([
        "\(setup.path): \(alternatives(odd, "and")) \(odd.count == 1 ? "is" : "are") no finite number"
          + (firstNotFinite.map { "; example \($0) is the first without one" } ?? "")
      ])
    }
  }
}
