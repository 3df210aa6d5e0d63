// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import GraphIR
internal import InterfaceWriting
internal import Legato
internal import StepRunning

extension Option {
  static let resource = Option(
    "resource", value: "PATH",
    "where the model stands among the resources of the package's target, such as activity.json: the type finds it there"
  )
}

extension Subcommand {
  static let interface = Subcommand(
    name: "interface", operands: "MODEL",
    summary: "writes Swift with the names and types of a model",
    explanation: """
      The file has one type, which is called as the file is. Of a model of steps: a prediction from tensors, arrays or
      pictures whose shapes are checked, the outputs, labels as an enumeration, and what is remembered as a type, with
      reset, snapshot and restore; all memory is reserved once, and numbers can be set and read where they are. Of an
      effect: its parameters by name with their ranges, and blocks of any length. Comments say what the model says.

      The type reads the model where it runs: of a path, of a bundle's resources, or, with --resource, of the package's
      own. A model that has become another one is refused there in a line. Named axes of steps need --bind; those of an
      effect, such as channels, are arguments. --image and --labels say what a model does not, such as an ONNX file.
      The plugin LegatoModels does the same for the models in a target whenever it is built. Without --output,
      activity.json becomes Activity.swift in the current folder.
      """,
    example: """
      legato interface activity.json -o Activity.swift
        legato interface net.onnx --bind batch=1 --image data=RGB,ImageNet --labels names.txt -o Net.swift
        legato interface models/overdrive.json -o Overdrive.swift
      """,
    options: [.function, .bind, .state, .image, .labels, .resource, .output, .force]
  ) { arguments, console in
    let path = try arguments.operands("MODEL")[0]
    let model = try Model(path: path, arguments)
    if let name = try arguments.boundArrays().keys.min() {
      throw Failure.usage(
        "--bind \(printable(name)): what is written opens the file with numbers only; legato import makes a model of the file "
          + "and of its arrays")
    }
    var terms = ModelInterface.Terms()
    terms.extents = try arguments.bound()
    terms.states = arguments.values(of: .state)
    terms.forms = try model.imageForms(try arguments.namedImageForms(of: model))
    terms.labels = try TopLabels.labels(arguments.values(of: .labels), of: model).mapValues(\.labels)
    if let resource = arguments.value(of: .resource), !isResource(resource) {
      throw Failure.usage(
        "--resource takes a path below the resources, such as Models/activity.json, not \(quoted(resource))")
    }
    let output = arguments.value(of: .output) ?? ModelInterface.file(for: arguments.namesake(of: path))
    guard output.hasSuffix(".swift"), PathText.name(of: output) != ".swift" else {
      throw Failure.usage(
        "--output takes a file whose name ends in .swift, such as Activity.swift, not \(quoted(output))")
    }
    let interface = try ModelInterface(
      model, terms,
      .init(
        model: PathText.name(of: path), swift: PathText.name(of: output), options: arguments.recordedOptions,
        resource: arguments.value(of: .resource)))
    try Destination.check(output, against: model.files)
    Interruption.begin()
    try TextFile.write(
      interface.text, to: output, replaceExisting: arguments.has(.force), pending: Interruption.pending)
    console.notice("\(output): \(interface.type), of \(printable(model.name))")
  }

  private static func isResource(_ path: String) -> Bool {
    !path.isEmpty && !path.hasPrefix("/") && path.split(separator: "/").allSatisfy { $0 != ".." }
  }
}

extension Arguments {
  /// The options that change what is written, as the file says them: paths without their folders.
  fileprivate var recordedOptions: String {
    words(without: [.output, .force, .quiet]).map { option, value in
      guard let value else { return "--\(option.name)" }
      guard option == .labels else { return "--\(option.name) \(value)" }
      let name = value.firstIndex(of: "=").map { String(value[...$0]) } ?? ""
      return "--\(option.name) \(name)\(PathText.name(of: value))"
    }.joined(separator: " ")
  }
}
