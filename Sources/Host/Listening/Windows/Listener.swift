// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
public import Legato

/// A model of steps that listens: readings come in, a label and probabilities come out of each window.
///
///     readings ─▶ window ─▶ step of the model ─▶ probabilities, label, time
///                  └ hop    └ state: what the model remembers, and outputs that are inputs of the next window
///
///     var listener = try Listener(Model(contentsOf: "activity.json"))
///     for found in try listener.listen(readings) { print(found.label ?? "", found.probability) }
///
/// State is zero, or what the model begins with, at first and behind a gap. It belongs to one thread at a time.
public struct Listener: ~Copyable {
  /// How windows are made of readings.
  public let form: WindowForm
  /// Readings from the beginning of a window to that of the next.
  public let hop: Int
  /// Readings per second.
  public let rate: Double
  /// The output whose numbers are probabilities.
  public let output: String
  /// The labels, in the order of the output's numbers.
  public let labels: [String]

  var runner: StepRunner
  /// Outputs that are inputs of the next window.
  let pairs: [(input: String, output: String)]
  var states: [String: Tensor]

  private var cutter: WindowCutter
  private var windows = 0
  private var recording: String?

  /// The settings of a listener, in place of those that the model's file states.
  public struct Options: Sendable {
    /// Readings in a window, where an axis of the input is only named, or may be either.
    public var window: Int?
    /// Readings from the beginning of a window to that of the next; nil for a window.
    public var hop: Int?
    /// Readings per second; nil for what the model states as its sample rate.
    public var rate: Double?
    /// The names of a reading's numbers, in the order of the model.
    public var columns: [String]?
    /// Inputs that are an output of the window before: `["h": "hn"]`, beside those of the file, and those whose names end
    /// with `In` and `Out`, or `_in` and `_out`.
    public var states: [String: String] = [:]
    /// The output whose numbers are probabilities; nil for the first with labels, or the only one.
    public var output: String?
    /// The labels of its numbers; nil for those that the model has.
    public var labels: [String]?
    /// Numbers of axes that the model only names.
    public var extents: [String: Int] = [:]
    /// The values of the model's parameters.
    public var settings: [ParameterSetting] = []
    public var compiler = CompilerOptions()

    public init() {}
  }

  /// - Throws: `RequestError` where the model cannot listen in this way, with what it takes; `ModelError` where it is
  ///   wrong, or no code can be made.
  public init(_ model: Model, _ options: Options = Options()) throws {
    guard !model.executesStream else {
      throw RequestError(
        "\(quoted(model.name)) works on frames of a stream; a model that listens has inputs of fixed shapes")
    }
    let stated = model.listening
    guard let rate = options.rate ?? model.sampleRate, rate > 0, rate.isFinite else {
      throw RequestError(
        "nothing says how many readings there are in a second; \(.rate) does, or \"sampleRate\" in the model's file"
      )
    }
    guard model.sampleRate ?? rate == rate else {
      throw RequestError(
        "\(.rate) \(written(rate)): \(quoted(model.name)) is for \(written(model.sampleRate ?? 0)) readings in a second; leave \(.rate) out"
      )
    }
    let pairs = try Self.pairs(of: model, (stated?.states ?? [:]).merging(options.states) { $1 })
    let form = try WindowForm(
      model, states: Set(pairs.map(\.input)), window: options.window ?? stated?.window,
      columns: options.columns ?? stated?.columns, extents: options.extents)
    // A hop of the file is for the window of the file.
    let hop = options.hop ?? (options.window == nil ? stated?.hop : nil) ?? form.window
    guard hop > 0 else { throw RequestError("a hop has one reading or more, not \(hop)") }
    let compilation = try model.compilation(
      extents: form.extents, sampleRate: rate, options: options.compiler)
    let classifier = try Self.classifier(model, compilation, options, states: pairs.map(\.output))
    let states = try Self.states(pairs, compilation)
    runner = try StepRunner(compilation, settings: options.settings)
    cutter = WindowCutter(window: form.window, hop: hop, columns: form.columns.count)
    (self.form, self.hop, self.rate, self.pairs, self.states) = (form, hop, rate, pairs, states)
    (output, labels) = classifier
  }

  // MARK: Listening

  /// Takes readings, and runs the model for each window that is whole then.
  ///
  /// - Parameters:
  ///   - readings: The numbers of one reading, then those of the next, in the order of the columns.
  ///   - times: When each reading was taken, in seconds; nil for one after the other at the model's rate.
  /// - Throws: `ListeningError.data` where the numbers are no whole readings, or there is not a time for each; nothing has
  ///   been taken then.
  public mutating func listen(
    _ readings: [Float], times: [Double]? = nil
  ) throws(ListeningError) -> [Recognition] {
    let width = form.columns.count
    guard readings.count.isMultiple(of: width) else {
      throw .data("\(readings.count) numbers are no whole readings of \(counted(width, "column"))")
    }
    guard times?.count ?? readings.count / width == readings.count / width else {
      throw .data(
        "\(counted(times?.count ?? 0, "time")) for \(counted(readings.count / width, "reading")); each has its own"
      )
    }
    return cutter.cut(readings, times: times).map { step($0) }
  }

  /// Takes what came from a source.
  ///
  /// - Returns: The answers of the windows that are whole then; nil where nothing will come any more.
  /// - Throws: `ListeningError.data` where the numbers are no whole readings.
  public mutating func hear(_ event: ReadingEvent) throws(ListeningError) -> [Recognition]? {
    switch event {
    case .readings(let readings, let times): return try listen(readings, times: times)
    case .nothing: return []
    case .gap(let readings):
      forget(missing: readings)
      return []
    case .recording(let name):
      reset()
      recording = name
      return []
    case .ended: return nil
    }
  }

  /// Listens to a source until it ends, or nobody wants to go on.
  ///
  /// - Parameters:
  ///   - source: Whose readings have as many numbers as there are columns.
  ///   - goesOn: Is asked after each moment.
  ///   - take: Gets each window's answer.
  /// - Throws: What the source throws, and what `take` throws.
  public mutating func listen(
    to source: any ReadingSource, while goesOn: () -> Bool = { true },
    _ take: (Recognition) throws -> Void
  ) throws {
    repeat {
      guard let found = try hear(source.next()) else { return }
      for answer in found { try take(answer) }
    } while goesOn()
  }

  private mutating func step(_ window: WindowCutter.Window) -> Recognition {
    let inputs = form.tensors(window.readings).merging(states) { $1 }
    // The form and the states have the shapes of the inputs.
    let outputs = try! runner.step(inputs)
    for pair in pairs { states[pair.input] = outputs[pair.output] }
    defer { windows += 1 }
    return Recognition(
      window: windows, recording: recording, place: window.begin,
      begin: window.times?.first ?? Double(window.begin) / rate,
      end: window.times.map { $0.last + 1 / rate } ?? Double(window.begin + form.window) / rate,
      labels: labels, probabilities: outputs[output]?.values ?? [], outputs: outputs)
  }

  // MARK: Beginning anew

  /// Begins anew: states are zero, or what the model begins with, and time and windows are counted from here.
  public mutating func reset() {
    forget()
    cutter.reset()
    (windows, recording) = (0, nil)
  }

  /// Forgets states and the readings that are no whole window yet; time goes on.
  public mutating func forget() { forget(missing: 0) }

  private mutating func forget(missing: Int) {
    runner.reset()
    for (name, tensor) in states { states[name] = Self.zeros(tensor.shape) }
    cutter.forget(missing: missing)
  }
}
