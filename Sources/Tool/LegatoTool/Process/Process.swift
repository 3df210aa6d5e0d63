// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface

extension Option {
  static let inputs = Option(
    "inputs", value: "LIST",
    "the input's channels that are used, such as 1 or 2,1 (default: all of a file; of a device, as many as the model "
      + "needs, or 2; a single one goes to both of a model for two)")
  static let outputs = Option(
    "outputs", value: "LIST",
    "of a file, the model's output channels that are written (default: all); of a device, the channels that play"
  )
  static let bits = Option(
    "bits", value: "BITS",
    "the samples of the file that is written: 8, 16, 24, 32, float or double (default: the input's; float for what plays live)"
  )
  static let dither = Option(
    "dither", value: "KIND", "noise where samples have fewer than 24 bits: triangular (default) or none")
  static let automate = Option(
    "automate", value: "FILE",
    "moves parameters between points, one a row: seconds, parameter, value[, linear, exponential, step or smooth]"
  )
  static let tail = Option(
    "tail", value: "SECONDS",
    "goes on after the input's end; auto: to the last frame above -96 dB, or to rest, at most 60 s (default: 0)"
  )
  static let raw = Option(
    "raw", value: "RATE:CHANNELS",
    "- is sound without a header: interleaved little-endian 32-bit floats, such as 48000:2")
  static let quality = Option(
    "quality", value: "QUALITY",
    "how sound is resampled for a model that states another rate: best (default), medium, fast, linear or hold"
  )
  static let block = Option(
    "block", value: "FRAMES",
    "frames at a time, up to 65536 (default: 4096; of blocks that are timed, up to 1048576, and 128; of those "
      + "that are exported 128); changes time, never the sound")
  static let force = Option("force", "replaces an output that exists")
  static let sync = Option(
    "sync", "brings each output to the disk before it gets its name, for power cuts; takes longer")
  static let check = Option(
    "check", value: "KIND",
    "non-finite: ends at the first infinity or not-a-number, and says what made it; takes longer")
}

extension Subcommand {
  static let process = Subcommand(
    name: "process", operands: "MODEL INPUT OUTPUT",
    moreOperands: ["MODEL OUTPUT --seconds S", "MODEL INPUT… --output-dir DIR"],
    summary: "renders audio files through a model",
    explanation: """
      MODEL is a model file, or a capture such as amp.nam.
      OUTPUT's extension chooses its type: \(AudioFileType.extensionList). It appears when it is whole.
      OUTPUT may be INPUT, which is replaced then; any other file that exists needs --force. INPUT and OUTPUT may be -,
      the standard input and output; what is written there is WAV, or, with --raw, floats without a header. Sound flows
      through, a block at a time. A model for one channel runs once for each channel of INPUT; a mono INPUT goes to both
      channels of a model for two, unless --inputs says what goes where. The channels of several outputs are written one
      after the other, in the order of the model. With --check, each value of the model is looked at as it is declared;
      what is found is said with its place in the file, the frame and the operands, and the exit code is 4.

      A model without inputs makes its sound of itself: MODEL OUTPUT --seconds S, at the rate that --rate asks for.

      A model that states a rate runs at that rate: a file with another one is resampled for it, and what comes out is
      resampled back, in its place and as long as the file. --quality is best, medium or fast, which keep 97, 90 and 80
      per cent of the band, linear, a line from frame to frame, or hold, which repeats frames.

      With --then, a parameter of the second model is 2.drive, or delay.drive by the model's name; so is a preset. A
      model whose outputs are like its inputs has bypass and mix, unless it declares them, and so has a chain as a
      whole: they go from 0 to 1, and cost nothing where nobody turns them. In a chain mix is the whole's, unless one of
      its models declares a mix; 1.mix is the first model's. So it is with --set, --automate and --map, in any order.

      In the rows of --automate stand a time in seconds, a parameter, a value and perhaps the way to it from the point
      before: linear, exponential, smooth or step; without a word it is as the parameter's scale is. What the first
      point says holds from the beginning. Lines are exact in each frame; # begins a comment.

      With --output-dir, each INPUT is rendered into a file of the same name in DIR, several at a time. INPUT may be a
      folder, with --recursive; what it holds keeps its places. A type that is not written becomes .wav. A file that
      fails does not hold up the others; all failures are said at the end, and the exit code is 1. DIR gets a hidden
      file that says what it was made with: --resume goes by it, leaves out what is whole (by its size, its header and
      its last frame) and younger than its input, and removes what a killed run left. It refuses a DIR that was made
      with another MODEL, or other options.
      """,
    example: """
      legato process models/bitcrusher.json in.wav out.wav --set resolution=4 --set dryWet=0.8
        legato process models/echo.json samples --recursive --output-dir echoes --resume
        legato process string.json string.wav --seconds 3 --rate 96000 --set pick=9kHz
      """,
    options: [
      .then, .size, .normalize, .calibrate, .state, .stream, .set, .preset, .automate, .inputs, .outputs,
      .bits, .dither,
      .tail, .seconds,
      .rate, .quality,
      .raw, .block,
      .force, .sync, .check, .outputDir, .jobs, .suffix, .recursive, .resume, .report, .cpu, .optimize,
      .passes, .stopAfter,
    ],
    takesAnyBytes: true
  ) { arguments, console in
    if arguments.has(.outputDir) {
      try BatchCommand(arguments, console).run(console)
    } else {
      try SingleRun(arguments).run(console)
    }
  }
}
