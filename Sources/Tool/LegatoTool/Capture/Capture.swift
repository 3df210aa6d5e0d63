// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import LegatoTraining

extension Option {
  static let network = Option(
    "network", value: "NETWORK",
    "what learns: lstm: and a number of cells, or wavenet: and nano, feather, lite or standard (default: lstm:16)"
  )
  static let minutes = Option("minutes", value: "M", "ends after so many minutes of learning")
  static let writeSignal = Option(
    "write-signal", value: "FILE", "writes the test signal, to be played through the amplifier elsewhere")
}

extension Subcommand {
  static let capture = Subcommand(
    name: "capture", operands: "",
    summary: "learns the sound of an amplifier from a recording, or through a device",
    explanation: """
      With --device a test signal of a minute goes out on the first channel, or on those of --outputs, and what comes back
      on the first, or on that of --inputs, is what the amplifier makes of it. Or two files say it: --input is what went
      into the amplifier, --target what came out; --write-signal writes the test signal for that.

      The return is aligned to less than a sample. What is clipped, silent, or does not belong together is refused. A tenth
      of the sound is held back, and the error-to-signal ratio (ESR) there tells how good the capture is: below 0.01 few
      hear a difference.

      A model file, its weights and a .nam file, which Neural Amp Modeler and others read, appear after seconds, and again
      when the network has become better, under the name of --output. It learns over 100 epochs, or as --epochs or --minutes
      say. An interruption ends it with the best network until then; a second one ends at once.
      """,
    example: """
      legato capture --device hw:1 -o amp.json
        legato capture --write-signal signal.wav
        legato capture --input signal.wav --target recorded.wav --network wavenet:feather --minutes 10 -o amp.json
      """,
    options: [
      .device, .capture, .playback, .inputs, .outputs, .rate, .period, .periods, .format, .access, .input,
      .target,
      .writeSignal, .seconds, .network, .epochs, .minutes, .seed, .threads, .output, .force,
    ]
  ) { arguments, console in
    try CaptureRun(arguments).run(console)
  }
}
