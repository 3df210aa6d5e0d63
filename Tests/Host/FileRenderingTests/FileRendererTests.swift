// SPDX-License-Identifier: Apache-2.0

import FileRendering
import Foundation
import TestEquipment
import Testing

@Suite("Rendering files from a program", .waits)
struct FileRendererTests {
  private let folder: TemporaryFolder
  private let sound = Sound.waves(channels: 2, frames: 10_000)

  init() throws {
    folder = try TemporaryFolder()
    try sound.write(folder("in.wav"))
  }

  @Test("a file is rendered, and what is known of it comes back as values")
  func one() throws {
    var options = RenderOptions()
    options.sampleFormat = .float
    let renderer = try FileRenderer(SmallModel.double, options: options)
    var read: [Int] = []
    let file = try renderer.render(folder("in.wav"), to: folder("out.wav")) { frames in
      read.append(frames)
      return true
    }
    #expect(read == [4096, 8192, 10_000])
    #expect(file.frames == 10_000 && file.channels == 2 && file.sampleRate == 48_000)
    #expect(file.sampleFormat == "32 bit float" && file.clipped == 0 && file.latency == 0)
    let doubled = sound.samples.map { $0.map { 2 * $0 } }
    #expect(file.peak == doubled.joined().map(abs).max())
    #expect(try Sound.read(folder("out.wav")).samples == doubled)
  }

  @Test("a model without inputs is rendered for some seconds, and a file through no such model")
  func alone() throws {
    let constant = try Model(
      #"{ "legato": 1, "name": "Still", "graph": { "y": "0.5 + 0 * phasor(1)" }, "outputs": ["y"] }"#)
    let renderer = try FileRenderer(constant)
    var made: [Int] = []
    let file = try renderer.render(seconds: 0.1, sampleRate: 96_000, to: folder("out.wav")) { frames in
      made.append(frames)
      return true
    }
    #expect(made == [4096, 8192, 9600])
    #expect(file.frames == 9600 && file.channels == 1 && file.sampleRate == 96_000 && file.peak == 0.5)
    #expect(try Sound.read(folder("out.wav")).samples == [[Float](repeating: 0.5, count: 9600)])
    #expect(
      throws: RenderingError.unfit("'Still' has no input; it renders so many seconds of sound, not files")
    ) {
      try renderer.render(folder("in.wav"), to: folder("x.wav"))
    }
    #expect(
      throws: RenderingError.unfit("'Small' has an input; it renders files, not so many seconds")
    ) {
      try FileRenderer(SmallModel.double).render(seconds: 1, to: folder("x.wav"))
    }
  }

  @Test("settings are what is turned before the first frame, and points move what they name")
  func settings() throws {
    var options = RenderOptions()
    (options.sampleFormat, options.replacesExisting) = (.float, true)
    let model = SmallModel.gain
    let turned = try FileRenderer(model, settings: [model.setting("gain", to: "0.5")], options: options)
    _ = try turned.render(folder("in.wav"), to: folder("out.wav"))
    #expect(try Sound.read(folder("out.wav")).samples == sound.samples.map { $0.map { 0.5 * $0 } })

    try folder.make("points.csv", "0, gain, 2, step\n0.1, gain, 0, step\n")
    let moved = try FileRenderer(
      model, automation: AutomationFile(contentsOf: folder("points.csv")), options: options)
    _ = try moved.render(folder("in.wav"), to: folder("out.wav"))
    let expected = sound.samples.map { row in row.enumerated().map { $0 < 4800 ? 2 * $1 : 0 * $1 } }
    #expect(try Sound.read(folder("out.wav")).samples == expected)
  }

  @Test("what warms up settles with the values that are set, and those of points at the beginning")
  func warmedUp() throws {
    var options = RenderOptions()
    (options.sampleFormat, options.replacesExisting) = (.float, true)
    let model = SmallModel.settling
    let turned = try FileRenderer(model, settings: [model.setting("gain", to: "2")], options: options)
    _ = try turned.render(folder("in.wav"), to: folder("out.wav"))
    #expect(try Sound.read(folder("out.wav")).samples.allSatisfy { $0.allSatisfy { $0 == 4 } })

    try folder.make("points.csv", "0, gain, 3, step\n")
    let moved = try FileRenderer(
      model, automation: AutomationFile(contentsOf: folder("points.csv")), options: options)
    _ = try moved.render(folder("in.wav"), to: folder("out.wav"))
    #expect(try Sound.read(folder("out.wav")).samples.allSatisfy { $0.allSatisfy { $0 == 6 } })
  }

  @Test("the tail of what comes to rest at a level ends there, as it does at silence")
  func tailOfALevel() throws {
    var options = RenderOptions()
    (options.tail, options.replacesExisting) = (.audible, true)
    let frames = try SmallModel.fading.map { model in
      try FileRenderer(model, options: options).render(folder("in.wav"), to: folder("out.wav")).frames
    }
    #expect(frames[0] > 10_500 && frames[0] < 20_000)
    // Within half of -96 dB.
    #expect(frames.allSatisfy { abs($0 - frames[0]) < 100 })
  }

  @Test(
    "the tail that is found is the beginning of a long one, behind which nothing is heard",
    arguments: UInt64(0)..<20)
  func tailLaw(seed: UInt64) throws {
    var random = SplitMix(seed: seed)
    // The file is longer than all that the model remembers, and the echo is still on its way at its end.
    let delay = 1000 + random.below(20_000)
    let frames = delay + 5000 + random.below(20_000)
    let click = frames - 1 - random.below(delay / 2)
    let model = try Model(
      #"{ "legato": 1, "inputs": { "x": { "shape": ["frames"] } }, "outputs": ["y"], "#
        + #""graph": { "y": "x + 0.5 * delay(x, \#(delay))" } }"#)
    let samples: [Float] = (0..<frames).map { $0 == click ? 1 : 0 }
    try Sound(samples: [samples], sampleRate: 1000).write(folder("click.wav"))
    var options = RenderOptions()
    (options.replacesExisting, options.sampleFormat) = (true, .float)
    options.block = random.pick([64, 77, 4096])
    func row(_ tail: Tail) throws -> [Float] {
      options.tail = tail
      _ = try FileRenderer(model, options: options).render(folder("click.wav"), to: folder("out.wav"))
      return try Sound.read(folder("out.wav")).samples[0]
    }
    let (found, long) = (try row(.audible), try row(.seconds(60)))
    #expect(long.count == frames + 60_000)
    #expect(found.count == click + delay + 1 && found.last == 0.5)
    #expect(found.elementsEqual(long.prefix(found.count)))
    #expect(long.dropFirst(found.count).allSatisfy { abs($0) <= 1.584_894e-5 })
  }

  @Test("options that ask for what there cannot be are refused before any file is touched")
  func refusals() throws {
    func said(_ change: (inout RenderOptions) -> Void) throws -> String? {
      var options = RenderOptions()
      change(&options)
      do throws(RenderingError) {
        _ = try FileRenderer(SmallModel.double, options: options)
        return nil
      } catch {
        return error.description
      }
    }
    for block in [0, -1, 65_537] { #expect(try said { $0.block = block } == "block takes 1 to 65536 frames") }
    #expect(try said { $0.inputs = [] } == "inputs names no channel; nil is for all")
    #expect(try said { $0.inputs = [0, -1] } == "inputs: there is no channel -1; the first one is 0")
    #expect(try said { $0.outputs = [] } == "outputs names no channel; nil is for all")
    #expect(try said { $0.outputs = [-3] } == "outputs: there is no channel -3; the first one is 0")
    for seconds in [-1, 3601, .nan, .infinity] as [Double] {
      #expect(try said { $0.tail = .seconds(seconds) } == "tail takes 0 to 3600 seconds")
    }
    #expect(try said { $0.tail = .seconds(3600) } == nil)

    let still = try FileRenderer(
      Model(#"{ "legato": 1, "name": "Still", "graph": { "y": "phasor(1)" }, "outputs": ["y"] }"#))
    for seconds in [-1, .nan, .infinity, 1e300] as [Double] {
      #expect(throws: RenderingError.self) { try still.render(seconds: seconds, to: folder("out.wav")) }
    }
    for rate in [0, -1, 16_000_001] {
      #expect(throws: RenderingError.self) {
        try still.render(seconds: 1, sampleRate: rate, to: folder("out.wav"))
      }
    }
    #expect(try folder.names == ["in.wav"])
  }

  @Test("a program that wants no more of it gets nothing, and what stood there stays")
  func cancelled() throws {
    try folder.make("out.wav", "before")
    var options = RenderOptions()
    options.replacesExisting = true
    let renderer = try FileRenderer(SmallModel.double, options: options)
    let path = folder("out.wav")
    #expect(throws: RenderingError.file(AudioFileError(path, .interrupted))) {
      try renderer.render(folder("in.wav"), to: path) { $0 < 5000 }
    }
    #expect(try folder.names.sorted() == ["in.wav", "out.wav"])
    #expect(try String(contentsOfFile: path, encoding: .utf8) == "before")
  }

  @Test("errors are one line each, with the place, and the remedy in the words of this library")
  func errors() throws {
    let model = SmallModel.gain
    #expect(throws: RequestError.self) { try model.setting("gian", to: "1") }
    do throws(RequestError) {
      _ = try model.setting("gain", to: 5)
    } catch {
      #expect(error.description == "out of range; gain takes 0 to 4")
    }
    func said(_ input: String, _ output: String, _ options: RenderOptions = RenderOptions()) -> String? {
      do throws(RenderingError) {
        _ = try FileRenderer(model, options: options).render(folder(input), to: folder(output))
        return nil
      } catch {
        return error.description
      }
    }
    #expect(said("none.wav", "out.wav") == "\(folder("none.wav")): no such file")
    try folder.make("there.wav", "before")
    #expect(
      said("in.wav", "there.wav") == "\(folder("there.wav")): the file exists; replacesExisting replaces it")
    var options = RenderOptions()
    options.inputs = [0, 4]
    #expect(said("in.wav", "out.wav", options) == "inputs: there is no channel 5; \(folder("in.wav")) has 2")
    try folder.make("points.csv", "0, volume, 2\n")
    #expect(throws: RenderingError.self) {
      try FileRenderer(model, automation: AutomationFile(contentsOf: folder("points.csv")))
    }
  }
}
