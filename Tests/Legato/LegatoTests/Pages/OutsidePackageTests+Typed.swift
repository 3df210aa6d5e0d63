// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// A target whose models get typed Swift by the plugin.
extension OutsidePackageTests {
  /// A model of steps with a state, labels that are no names, and a parameter.
  private static let activity = """
    { "legato": 1, "name": "Activity", "description": "Which way a watch moves.",
      "inputs": { "readings": { "shape": [4, 3], "description": "Acceleration in g." } },
      "parameters": { "memory": { "default": 0.5, "minimum": 0, "maximum": 0.9 } },
      "graph": { "level": "mean(abs(readings), axis: 0)", "smooth": "level + memory * (delay(smooth, 1) - level)",
                 "probabilities": "softmax(4 * smooth)" },
      "outputs": [{ "name": "probabilities", "labels": ["rest", "3 steps", "class"] }, "smooth"] }
    """
  /// Names that are words of the language, or of the generated type, equal labels, a picture, and a number.
  private static let words = """
    { "legato": 1,
      "inputs": { "class": { "shape": [3, 2, 2], "type": "image", "format": "RGB", "normalize": "[-1,1]" },
                  "step": { "shape": [] }, "runner": { "shape": [2] } },
      "graph": { "seen": "mean(class, axis: [1, 2]) * step", "output": "softmax(seen)", "n": "sum(runner, axis: 0)" },
      "outputs": [{ "name": "output", "labels": ["self", "self", "!!"] },
                  { "name": "seen", "labels": ["all", "Type", "größe"] }, "n"] }
    """
  private static let sidechain = """
    { "legato": 1, "inputs": { "src": { "shape": ["channels", "frames"] }, "key": { "shape": ["frames"] } },
      "graph": { "dst": "src * key" }, "outputs": ["dst"] }
    """
  /// An axis that only the options beside it say, and labels that a file does.
  private static let rows = """
    { "legato": 1, "inputs": { "x": { "shape": ["time", 2] } }, "graph": { "y": "sum(x, axis: 0)" }, "outputs": ["y"] }
    """

  private static let program = """
    import Foundation
    import Legato

    func steps() throws {
      var activity = try Activity()
      let readings: [Float] = [0, 1, 2, 0, -1, 2, 0, 1, -2, 0, -1, 2]
      let output = try activity.prediction(readings: readings)
      print(output.label, output.smooth.values, output.probabilities(of: .class) > output.probabilities(of: ._3Steps))
      let before = activity.snapshot()
      activity.parameters.memory.set(0)
      activity.withReadings { numbers in
        for place in numbers.indices { numbers[place] = place % 3 == 0 ? 1 : 0 }
      }
      activity.step()
      print(activity.label, activity.withSmooth { $0[0] }, activity.state.smooth.values)
      activity.restore(before)
      let state = Activity.State(smooth: try Tensor(shape: [1, 3], values: [4, 0, 0]))
      try activity.restore(state)
      print(try activity.prediction(readings: Tensor(shape: [4, 3], values: readings)).smooth.values)
      do { _ = try activity.prediction(readings: [1]) } catch { print(error) }
      activity.reset()
      print(activity.state.smooth.values, Activity.Label(rawValue: "3 steps")!.position, Activity.readingsShape)

      var words = try Words()
      let picture = try Tensor(shape: [3, 2, 2], values: (0..<12).map { Float($0) })
      let answer = try words.prediction(class: picture, step2: 1, runner2: Tensor([1, 2]))
      print(answer.output2Label, answer.output2Label.rawValue, answer.seenLabel, answer.n)
      var rows = try Rows(from: .module)
      print(try rows.prediction(x: [1, 2, 3, 4, 5, 6]).label)
      var net = try Net()
      print(try net.prediction(x: [1, 2]).y.values, try net.prediction(x: [1, 2]).y.values)
    }

    func streams() throws {
      var overdrive = try Overdrive(channels: 2, sampleRate: 44_100)
      overdrive.parameters.drive.set(0)
      var samples = [Float](repeating: 0, count: 128)
      var span = samples.mutableSpan
      overdrive.process(frames: 64, inPlace: &span)
      print(samples[127], overdrive.parameters.drive.value, overdrive.latency)
      let sidechain = try Sidechain(channels: 2)
      print(sidechain.srcRows, sidechain.keyRows, sidechain.dstRows)
    }

    func changes() throws {
      let text = try String(contentsOfFile: Bundle.module.resourcePath! + "/Models/activity.json", encoding: .utf8)
      let path = CommandLine.arguments[1] + "/changed.json"
      try text.replacingOccurrences(of: "[4, 3]", with: "[5, 3]").write(toFile: path, atomically: true, encoding: .utf8)
      do { _ = try Activity(contentsOf: path) } catch { print("\\(error)".components(separatedBy: "/").last!) }
    }

    try steps()
    try streams()
    try changes()

    """

  private static let printed = """
    class [0.0, 0.5, 1.0] true
    rest 1.0 [1.0, 0.0, 0.0]
    [2.0, 0.5, 1.0]
    the input 'readings' takes [4, 3], 12 numbers, and is given 1
    [0.0, 0.0, 0.0] 1 [4, 3]
    label !! größe 3.0
    twelve
    [2.0, 4.0] [2.5, 5.0]
    0.0 0.0 0
    0..<2 2..<3 0..<2
    changed.json: the input 'readings' is [5, 3], and Activity is made for [4, 3]; make it anew with legato interface

    """

  /// - Returns: the target in the package's file.
  static func makeTyped(in folder: URL) throws -> String {
    let sources = folder.appendingPathComponent("Sources/Typed")
    let models = sources.appendingPathComponent("Models")
    try FileManager.default.createDirectory(at: models, withIntermediateDirectories: true)
    let files = [
      "activity.json": activity, "words.json": words, "sidechain.json": sidechain, "rows.json": rows,
      "rows.options": "--bind time=3 --labels y=names.txt\n", "names.txt": "nine\ntwelve\n",
      "other.json": "{}",
    ]
    for (name, text) in files {
      try text.write(to: models.appendingPathComponent(name), atomically: true, encoding: .utf8)
    }
    let overdrive = PackageFiles.folder.appendingPathComponent("models/overdrive.json")
    try FileManager.default.copyItem(at: overdrive, to: models.appendingPathComponent("overdrive.json"))
    // A network in ONNX that remembers: 2 x, and a quarter of what came before.
    let net = folder.appendingPathComponent("net.json")
    try """
    { "legato": 1, "inputs": { "x": { "shape": [2] } }, "graph": { "y": "2 * x + 0.25 * delay(y, 1)" },
      "outputs": ["y"] }
    """.write(to: net, atomically: true, encoding: .utf8)
    let words = ["export", net.path, "-o", models.appendingPathComponent("net.onnx").path]
    try #require(RunningProgram(RunningProgram.built("legato"), words, in: folder.path).finish().code == 0)
    try program.write(to: sources.appendingPathComponent("main.swift"), atomically: true, encoding: .utf8)
    return """
          .executableTarget(
            name: "Typed", dependencies: [.product(name: "Legato", package: "Legato")],
            resources: [.copy("Models")], plugins: [.plugin(name: "LegatoModels", package: "Legato")]),

      """
  }

  func expectTypedNumbers(of program: String, in folder: URL) throws {
    let made = try run([program, folder.path], in: folder)
    #expect(made.status == 0 && made.output == Self.printed, "\(made.output)")
  }
}
