// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import Legato

extension Option {
  static let output = Option("output", letter: "o", value: "FILE", "the file that is written")
  static let symbol = Option(
    "symbol", value: "NAME", "what all names in the header begin with (default: the model's name)")
}

extension Subcommand {
  static let compile = Subcommand(
    name: "compile", operands: "MODEL",
    summary: "makes an object file of a model, with a C header that says how to call it",
    explanation: """
      The object is position-independent, holds the weights, and calls nothing: no library is linked with it. The
      header is C99, and C++ understands it, too. Without --output, they are called as MODEL is, with .o and .h; with
      it, the header stands beside the object. Both files appear together, or not at all.
      """,
    example: "legato compile models/bitcrusher.json --target aarch64-linux-gnu -o crusher.o",
    options: [
      .function, .then, .size, .normalize, .calibrate, .state, .stream, .output, .symbol, .channels, .bind,
      .rate, .force,
      .target, .cpu,
      .optimize, .passes,
    ]
  ) { arguments, console in
    let path = try arguments.operands("MODEL")[0]
    let channels = try arguments.integer(.channels, in: 1...65_536) ?? 1
    let askedRate = try arguments.integer(.rate, in: 1...16_000_000)
    let places = try LibraryPlaces(arguments.value(of: .output), model: arguments.namesake(of: path))
    let prefix = arguments.value(of: .symbol)
    if let prefix, !Compilation.isPrefix(prefix) {
      throw Failure.usage(
        "--symbol takes letters, digits and single underscores, such as my_crusher, not \(quoted(prefix))")
    }
    let options = try CompilerOptions(arguments)

    let model = try Model(path: path, arguments)
    let rate = try model.rate(asked: askedRate)
    for place in [places.object, places.header] { try Destination.check(place, against: model.files) }
    let extents = try model.extents(arguments, others: channels, console.notice)
    let bound = try arguments.bound()
    let isOpen = !arguments.has(.channels) && model.symbols.contains { bound[$0] == nil }
    if isOpen, !model.executesStream { try model.checkAxes(known: bound) }
    let compilation = try model.compilation(extents: extents, sampleRate: Double(rate), options: options)
    if let note = model.noteOnWarmingUp { console.notice("\(path): \(note)") }
    for warning in compilation.warnings() { console.notice(warning) }
    let library = try compilation.library(prefix: prefix)

    Interruption.begin()
    let files = try FilesTogether(
      [
        .init(path: places.object, bytes: library.object),
        .init(path: places.header, bytes: Array(library.header.utf8)),
      ], replaceExisting: arguments.has(.force), pending: Interruption.pending)
    try files.commit()
    let hint = isOpen ? " (--channels makes it for others)" : ""
    console.notice(
      "\(places.object), \(places.header): \(library.prefix)_execute for \(compilation.cpu), "
        + "\(ChannelCounts(compilation.layout))\(hint) at \(rate) Hz, \(counted(library.object.count, "byte"))"
    )
  }
}

/// The paths of an object file and its header: two names that differ in the last letter.
private struct LibraryPlaces {
  let object: String
  let header: String

  init(_ output: String?, model: String) throws(Failure) {
    if let output {
      guard output.hasSuffix(".o"), output != ".o", !output.hasSuffix("/.o") else {
        throw .usage("--output takes a file whose name ends in .o, such as model.o, not \(quoted(output))")
      }
      object = output
    } else {
      let file = PathText.name(of: model)
      object = (file.lastIndex(of: ".").map { file[..<$0] } ?? file[...]) + ".o"
    }
    header = object.dropLast(2) + ".h"
  }
}
