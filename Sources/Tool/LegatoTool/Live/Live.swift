// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface

extension Option {
  static let device = Option(
    "device", value: "NAME", "the device that sound comes from and goes to (default: default)")
  static let capture = Option("capture", value: "NAME", "the device that sound comes from")
  static let playback = Option("playback", value: "NAME", "the device that sound goes to")
  static let period = Option(
    "period", value: "FRAMES",
    "frames between two interrupts of the device (default: 256); fewer are heard sooner")
  static let periods = Option(
    "periods", value: "N",
    "periods in the device's buffer (default: 4); more bear longer delays of the system")
  static let format = Option(
    "format", value: "FORMAT",
    "of live, the device's samples: FLOAT, S32, S24_3, S24 or S16 (default: the first of these that it has); of listen, "
      + "how answers are written: table (default), lines, json or labels")
  static let access = Option(
    "access", value: "KIND",
    "how samples get to the device: interleaved, planar, or in its own buffer: mapped-interleaved, mapped-planar, or "
      + "mapped for either (default: interleaved or planar, as the device has it)")
  static let input = Option(
    "input", value: "FILE",
    "of live, plays this file in place of a device's sound, to its end, and of listen, listens to it; - is the standard "
      + "input; of capture, the sound "
      + "that went into the amplifier; of run, the array or picture that goes in, of one input as NAME=FILE or "
      + "NAME=FILE:ENTRY (repeatable)")
  static let loop = Option("loop", "begins --input again at its end, without a seam")
  static let record = Option("record", value: "FILE", "writes what plays to a file, too, as --bits says")
  static let seconds = Option(
    "seconds", value: "S",
    "ends after so many seconds of sound; of a file, how long a model without inputs sounds, in place of INPUT; of "
      + "capture, how long the test signal is (default: 60)"
  )
  static let wait = Option(
    "wait",
    "waits for a device, or a server, that is absent or busy, and goes on when one that was lost is back")
  static let plain = Option("plain", "prints lines where a view would be: of live, one a second")
  static let noReload = Option("no-reload", "plays on as it is when the model's files are edited")
  static let midi = Option(
    "midi", "lets controllers turn parameters: a port called Legato appears, which aconnect connects")
  static let midiFrom = Option(
    "midi-from", value: "PORT", isRepeatable: true,
    "connects a port that sends to --midi's, such as 20:0 or nanoKONTROL:0 (repeatable)")
  static let map = Option(
    "map", value: "CC=NAME", isRepeatable: true,
    "the controller that turns a parameter, instead of the one that the model names: 21=drive, or 1:21=drive on "
      + "channel 1 only (repeatable)")
  static let pickup = Option(
    "pickup", "a controller that stands elsewhere turns its parameter only once it has passed the value")
}

extension Subcommand {
  static let live = Subcommand(
    name: "live", operands: "MODEL",
    summary: "plays through a model what a device hears",
    explanation: """
      MODEL is a model file, or a capture such as amp.nam.
      Sound comes from one device and goes to another, or to the same, at the very rate that is asked for: nothing is
      converted on the way, unless the device's name begins with plug, as plughw:0 does. `legato devices` says what
      each can do. Without --inputs the first two channels are heard, or as many as the model needs; a model for one
      channel runs once for each, and a single channel goes to both of a model for two. Its outputs play on the first
      channels, or on those that --outputs names; a single one plays on both of two.

      With --input a file is heard in place of a device, resampled to the rate where it has another one, to its end, or over
      and over with --loop. With --record what plays is written to a file, too, by another thread: a disk that is too slow or
      full takes nothing away from the sound.

      What is heard is late by the device's buffer without a period, and by what the model looks ahead: the first line says
      by how much. A device that is not fed in time is begun again, and what was lost is counted and said. One that is gone
      ends the run, with exit code 3, unless --wait is given.

      On a terminal a view shows parameters, levels, load, and what the model makes of a sine; keys turn parameters, and ?
      lists the keys. --plain prints a line a second instead. With --midi controllers turn the parameters that name them
      in the model's file, as "midi": 21, or those that --map names; a program chosen there is a preset, and L in the
      view learns a controller. A controller jumps, unless --pickup is given.

      The model's files are watched: once an edit is compiled it takes the place of what plays, with parameters as they were
      turned and what was remembered under the same names, and both are crossfaded over 20 ms. What is broken is said, and
      what played plays on.

      With --data the model learns while it plays, as `legato train` lets it: every few seconds what it has learned is
      judged on examples that are held back, and where it is better than before it is written to --output and plays, with
      what was remembered, crossfaded. One thread learns, and any other comes before it.

      ^C, SIGTERM and --seconds end the sound with a fade of 10 ms; a second ^C ends at once. In the end a summary is said,
      which --report writes as JSON.
      """,
    example: """
      legato live models/bitcrusher.json --device hw:0 --set resolution=4
        legato live models/amplifier.json --then models/echo.json --capture hw:1 --inputs 1 --playback default --wait
        legato live amp.json --data dry.wav:wet.wav -o learned.json
      """,
    options: [
      .then, .size, .normalize, .calibrate, .state, .stream, .set, .preset, .device, .capture, .playback,
      .rate, .period,
      .periods,
      .format, .access, .inputs,
      .outputs, .input, .loop, .record, .bits, .dither, .midi, .midiFrom, .map, .pickup, .seconds, .wait,
      .noReload, .plain, .report, .force, .data, .align, .loss, .learn, .learningRate, .batch, .window,
      .validate, .output, .cpu,
      .optimize, .passes, .stopAfter,
    ]
  ) { arguments, console in
    try LiveRun(arguments).run(console)
  }
}
