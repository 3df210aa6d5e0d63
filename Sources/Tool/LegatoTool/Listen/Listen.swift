// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import Listening

extension Option {
  static let csv = Option(
    "csv", value: "FILE",
    "readings, one a line, whose first line names the columns; - is the standard input")
  static let hop = Option(
    "hop", value: "N", "readings from the beginning of a window to that of the next (default: a whole window)"
  )
  static let columns = Option(
    "columns", value: "A,B,…", "the columns that the model takes, in its order, where it does not name them")
  static let time = Option(
    "time", value: "COLUMN[:UNIT]",
    "the column with the time of each reading, in s, ms, us or ns (default: time, in s, where there is one)")
  static let recording = Option(
    "recording", value: "COLUMN",
    "a column that says of which recording a reading is: with each the model begins anew")
  static let truth = Option(
    "truth", value: "COLUMN",
    "a column with the right labels: what was taken for what is counted, a window being what most of it is")
  static let stateIn = Option(
    "state-in", value: "FILE",
    "tensors by their names, .npz or .safetensors, that are remembered in the first window in place of zeros")
  static let stateOut = Option(
    "state-out", value: "FILE.npz",
    "a file that gets what is remembered behind the last window: --state-in goes on with it")
}

extension Subcommand {
  static let listen = Subcommand(
    name: "listen", operands: "MODEL [-]",
    summary: "says what sound or readings are, window by window",
    explanation: """
      MODEL is a model of steps that takes a window of readings and has an output with labels: a classifier of sounds,
      movements, or whatever comes as numbers at a rate. What comes in is cut into windows, one behind the other or --hop
      apart; the model is run for each, and what it remembers goes from window to window.

      Sound comes from a device, the default one or --device, or from a file, --input: its channels are mixed, and it is
      brought to the model's rate. Readings come as text, one a line, from --csv FILE or, with - for MODEL's second word,
      from the standard input: the first line names the columns, of which those of the model are taken. With a column of
      times answers have these, and readings have their places at --rate: a line that comes twice or late is left out, a missing or malformed one is
      made of its neighbours, and where a whole window is missing the model begins anew. All of these are told and counted.

      The model's file may say it all: "sampleRate", how many readings there are in a second, and in "listen" its "window",
      "hop", "columns" and "states". Inputs called stateIn, or h_in, and outputs called stateOut, or h_out, are what is
      remembered; so is what an input of "states" names, or of an ONNX file --state. --state-out keeps it, behind the last
      window, and --state-in goes on with it. An ONNX file that legato export made says all that its model does.

      Answers are a table; --format lines has begin, end, label and probability between tabs, json an object a line, labels a
      track of labels for Audacity. On a terminal, what is live is a view with a bar for each label, which q ends and r lets
      begin anew; --plain prints the table. A source that is not there, or goes, ends it with exit code 3. ^C ends it in
      order: what was heard is written.
      """,
    example: """
      legato listen voices.json
        legato listen voices.json --input talk.wav --hop 8000 --format labels -o talk.txt
        legato listen activity.json --csv walk.csv --time seconds_elapsed
        sensor | legato listen activity.json - --format json
      """,
    options: [
      .function, .then, .set, .preset, .device, .input, .csv, .time, .recording, .columns, .rate, .window,
      .hop, .bind,
      .state, .stateIn, .stateOut, .labels, .truth, .seconds, .format, .json, .output, .force, .plain, .cpu,
      .optimize, .passes, .stopAfter,
    ]
  ) { arguments, console in
    try ListenRun(arguments).run(console)
  }
}
