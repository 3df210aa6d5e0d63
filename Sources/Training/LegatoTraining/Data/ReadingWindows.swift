// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import GraphIR
public import Legato
public import Listening

/// Windows of a table of readings, with what each is: what a model that listens learns from.
///
///     time,acc_x,acc_y,label          one reading a line; the window's label is that of most of its readings
///     0.0,0.1,-0.3,walking      ─▶    { "motion": window, "target": 0 }, …
///
/// Windows are made as the section "listen" of the model's file says; states are zero. Lines are taken as `legato listen` takes
/// them: what is missing or malformed is made of its neighbours, and where as many as a window are missing a window begins
/// behind them. Windows of one recording are held back together; where there is one recording only, windows that follow
/// each other and have one label.
public struct ReadingWindows: Dataset {
  /// The names of the classes; a target is the position of one.
  public let labels: [String]
  public let count: Int
  /// Windows that nothing says a label for.
  package private(set) var unlabelled = 0
  /// The faults of lines, in a few words; empty for none.
  package let faults: String
  private var examples: [[String: [Float]]] = []
  private var wholes: [Int] = []

  /// - Parameters:
  ///   - path: the table; its column `label`, or `target`, says what a reading is.
  ///   - model: a model of steps, whose file states its rate.
  ///   - extents: numbers of named axes.
  ///   - hop: readings from the beginning of a window to that of the next; nil for what the file says, or a window.
  ///   - time: the column of times; nil for `time` in seconds where there is one.
  ///   - recording: a column whose text changes where another recording begins; nil for one.
  ///   - labels: the classes that the model knows; nil for those that there are, sorted.
  ///   - target: the name of the target.
  /// - Throws: `TrainingError.data` where the table is no ordinary file or has no such columns, no window is
  ///   whole, or one is of no class; `RequestError` where the model takes no windows, or a hop is none.
  public init(
    _ path: String, for model: Model, extents: [String: Int] = [:], hop: Int? = nil,
    time: LineReadings.TimeColumn? = nil, recording: String? = nil, labels: [String]? = nil,
    target: String = "target"
  ) throws {
    let form = try WindowForm(of: model, extents: extents)
    guard let rate = model.sampleRate else {
      throw TrainingError.data(
        "\(path): nothing says how many readings there are in a second; \"sampleRate\" in the model's file does"
      )
    }
    let hop = hop ?? model.listening?.hop ?? form.window
    guard hop > 0 else { throw RequestError("a hop has one reading or more, not \(hop)") }
    if let status = try? FileStatus(path: path), !status.isFile {
      throw TrainingError.data("\(path): is no ordinary file; a table is read more than once")
    }
    let truth = LineHeader.names(of: path)?.contains("label") == true ? "label" : "target"
    var cutter = WindowCutter(window: form.window, hop: hop, columns: form.columns.count)
    var (words, stretches, recordings) = ([String](), [Int](), [Int]())
    var (stretch, number) = (0, 0)
    let lines: [String: Int]
    do throws(ListeningError) {
      let source = try LineReadings(
        path, for: form, rate: rate, time: time, recording: recording, truth: truth)
      reading: while true {
        switch try source.next() {
        case .readings(let readings, _):
          for window in cutter.cut(readings) {
            guard let word = source.truth(from: window.begin, to: window.begin + form.window) else {
              unlabelled += 1
              continue
            }
            if word != words.last { stretch += 1 }
            words.append(word)
            stretches.append(stretch)
            recordings.append(number)
            examples.append(form.tensors(window.readings).mapValues(\.values))
          }
        case .nothing: break
        case .gap(let readings):
          cutter.forget(missing: readings)
          stretch += 1
        case .recording:
          cutter.reset()
          (stretch, number) = (stretch + 1, number + 1)
        case .ended: break reading
        }
      }
      faults = source.faults.isEmpty ? "" : source.faults.summary
      lines = source.truthLines
    } catch {
      throw TrainingError.data(error.description)
    }
    wholes = Set(recordings).count > 1 ? recordings : stretches
    count = examples.count
    guard count > 0 else {
      let window = counted(form.window, "reading")
      throw TrainingError.data("\(path): no window of \(window) with a label is in it")
    }
    let classes = labels ?? Set(words).sorted()
    self.labels = classes
    let numbers = Dictionary(classes.enumerated().map { ($1, Float($0)) }) { first, _ in first }
    let zeros = form.states.mapValues { [Float](repeating: 0, count: $0) }
    for (index, word) in words.enumerated() {
      guard let number = numbers[word] else {
        let place = lines[word].map { "\(path):\($0)" } ?? path
        throw TrainingError.data("\(place): \(quoted(word)) is no class\(LabelledFiles.hint(word, classes))")
      }
      examples[index].merge(zeros) { own, _ in own }
      examples[index][target] = [number]
    }
  }

  public func item(_ index: Int) -> [String: [Float]] { examples[index] }
  public func whole(of index: Int) -> Int { wholes[index] }

  /// Whether a file is a table of readings for a model: its first line names the model's columns.
  package static func describes(_ path: String, for model: Model, extents: [String: Int]) -> Bool {
    guard let form = try? WindowForm(of: model, extents: extents), form.areNamed,
      let names = LineHeader.names(of: path)
    else { return false }
    return form.columns.allSatisfy(names.contains)
  }
}
