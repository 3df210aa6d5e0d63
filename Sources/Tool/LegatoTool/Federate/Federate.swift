// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import LegatoFederated
internal import LegatoTraining

extension Option {
  static let server = Option("server", value: "URL", "the SuperLink, such as http://127.0.0.1:8000")
  static let key = Option(
    "key", value: "FILE",
    "the device's private key in PEM, which is made where there is none; without it the device is a new one each time"
  )
  static let rootCertificates = Option(
    "root-certificates", value: "FILE",
    "the authorities that are believed over https, in PEM (default: those of the system)")
  static let rounds = Option(
    "rounds", value: "N",
    "ends after so many rounds of training of this start, and what the server asks behind them, or when it stays away then (default: never; of a simulation 10)"
  )
  static let dryRun = Option("dry-run", "lists what would be sent, and sends nothing")
  static let privacy = Option(
    "privacy", value: "NORM:NOISE",
    "shortens what a round has changed to this norm, and adds noise of so many times the norm; epsilon is told"
  )
  static let secureAggregation = Option(
    "secure-aggregation", value: "N",
    "gives weights only masked, as SecAgg+ has it, in sums of N devices of Legato or more (6 at least)")
  static let share = Option(
    "share", value: "WHAT",
    "the weights that a server gets: learned (default), or all, of which those that do not learn go along as they are"
  )
  static let optimizer = Option(
    "optimizer", value: "NAME", "how weights follow on a device: sgd (default) or adamw")
  static let simulate = Option(
    "simulate", value: "N", "plays so many devices in this process, without a server")
  static let strategy = Option(
    "strategy", value: "NAME", "of a simulation: fedavg (default), fedprox:MU or fedadam:RATE")
  static let deal = Option(
    "deal", value: "HOW",
    "how a simulation deals out the examples: even (default), label or dirichlet:ALPHA")
  static let roundReport = Option(
    "report", value: "FILE",
    "writes what came of it, as JSON: of each request scores, examples, seconds that the device computed, and the bytes that came "
      + "and went, or the error; of a simulation scores of each round; - prints it")
  static let fraction = Option(
    "fraction", value: "SHARE", "the share of the simulated devices that learn in a round (default: 1)")
}

extension Subcommand {
  static let federate = Subcommand(
    name: "federate", operands: "MODEL",
    summary: "lets a model learn together with other devices; data stays here",
    explanation: """
      The device registers at Flower's SuperLink (the Fleet API of flwr 1.41 and 1.42) and serves what its program asks
      for: the weights that learn come, learn from the data of this device, and go; with them go how many examples there
      are, and scores; of a request that fails, that it did. Nothing is sent that was not asked for; --dry-run lists what
      may be asked for. MODEL, --data and --learn are as for train. A program may say epochs, rate, proximal-mu and
      clipping_norm for a round.

      With --share all the weights that do not learn go along as they are, for a program that has a whole model (a
      state_dict); it gets them back as they are here, and a round for which it has others is refused.

      With --privacy what goes out hides whether this device had any data at all: each round tells the epsilon of all
      rounds until then, for a delta of 0.00001: with --key of all runs, without it of this one. How many examples there
      are, and scores of judging, are not covered. The model that is written is what was sent.

      With --secure-aggregation the server gets weights that are masked (SecAgg+), and no others: it reads sums of N
      devices of Legato or more (those of Python may be among them), whatever it says about who is there, and only where
      all were sent the same; but not if it invents devices, or keys in the place of theirs.
      A round in which a device ends while it learns has no sum. The server's program has to ask for that
      (SecAggPlusWorkflow); its settings are checked. Scores of judging go in the clear, and with --validate 0 none do.

      Where the network or the server goes away the device comes back, with pauses that grow. With --key it is the same
      device each time, and beside the key (FILE.node) it remembers the round that it is in: if it is killed while it
      learns, a run that begins within half a minute answers it. With --output the model is written after each round, its
      file as it is, with its weights beside it.

      With --simulate devices are played in one process, to plan before they exist; the same bits for any --threads.
      """,
    example: """
      legato federate model.json --server http://127.0.0.1:8000 --key key.pem --data x=x.npy --data target=y.npy
        legato federate model.json --dry-run --data x=x.npy --data target=y.npy
        legato federate model.json --simulate 100 --deal dirichlet:0.3 --rounds 20 --data x=x.npy --data target=y.npy
      """,
    options: [
      .data, .align, .server, .key, .rootCertificates, .rounds, .wait, .dryRun, .share, .privacy,
      .secureAggregation,
      .simulate,
      .strategy, .deal,
      .fraction,
      .loss,
      .metric, .learn, .epochs, .optimizer, .learningRate, .clip, .batch, .window, .warmup, .bind, .threads,
      .seed,
      .validate, .roundReport, .output, .force,
    ]
  ) { arguments, console in
    if arguments.has(.simulate) {
      try SimulationRun(arguments).run(console)
    } else {
      try FederationRun(arguments).run(console)
    }
  }
}
