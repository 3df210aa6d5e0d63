// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// Readings of a text, one a line: a CSV file, the standard input, a serial line.
///
///     time,acc_x,acc_y,label          the first line names the columns; others than the model's are passed over
///     0.00,0.1,-0.3,walking
///     0.10,0.2,,walking               no number: malformed; its reading is made of its neighbours
///     0.40,0.1,-0.2,walking           two readings are missing, and made of their neighbours
///
/// Columns are parted as in the first line: by commas, semicolons or tabs. A first line of numbers only names nothing:
/// the columns are the model's then, in their order. With a column of times each reading has its place: what comes twice
/// or late is left out, and what is missing lies on lines between its neighbours, its time as well. Where as many as a window are missing,
/// all begins anew behind them. Without times each line is the reading after the one before it.
public final class LineReadings: ReadingSource {
  /// A column of times.
  public struct TimeColumn: Hashable, Sendable {
    public enum Unit: String, CaseIterable, Sendable {
      case s, ms, us, ns

      var perSecond: Double {
        switch self {
        case .s: 1
        case .ms: 1e3
        case .us: 1e6
        case .ns: 1e9
        }
      }
    }

    public let name: String
    public let unit: Unit

    public init(_ name: String = "time", unit: Unit = .s) { (self.name, self.unit) = (name, unit) }
  }

  /// The faults so far.
  public private(set) var faults = ReadingFaults()
  /// Is told of the first faults of each kind, in one line with the place.
  public var onFault: ((String) -> Void)?
  /// Is told what the column of truth says of each reading, with its line.
  package var onLabel: ((_ label: String, _ line: Int) -> Void)?

  private let lines: ByteLines
  private let form: WindowForm
  private let time: TimeColumn?
  private let recordingColumn, truthColumn: String?
  private let rate: Double
  private var header: LineHeader?
  private var line = 0
  /// The readings that are handed over next and those behind, each with its truth, where a column says it.
  private var events: [(event: ReadingEvent, truths: [String?])] = []
  private var readings: [Float] = []
  /// The times of these, where the lines have some.
  private var times: [Double] = []
  private var truths: [String?] = []
  /// The truths of the readings that were handed over last, as far as a window goes back.
  private var known: [String?] = []
  /// The place of the first of them in the recording.
  private var knownBegin = 0

  private var clock: ReadingClock
  /// The reading that was taken last.
  private var last: (numbers: [Float], time: Double?)?
  private var recording: String?
  /// Readings without a line, or with a malformed one, before the next one, as far as is known.
  private var holes = 0
  /// Malformed lines since the last reading: what is made in their place is no reading that is missing.
  private var spoilt = 0
  /// Lines that were late, one after the other.
  private var lateInRow = 0
  private var (firstTime, lastTime, timed) = (0.0, 0.0, 0)
  /// Steps from a time to a later one, and those of them that are pauses, with the seconds that these last.
  private var (steps, pauses, paused) = (0, 0, 0.0)

  /// The faults of a kind that are told one by one.
  private static let told = 3
  /// The most lines that are looked at at once.
  private static let most = 1024
  /// The fewest times that tell a rate.
  private static let leastTimes = 16
  /// The fewest readings that a pause leaves out.
  private static let leastPause = 5

  /// - Parameters:
  ///   - path: The file; - is the standard input.
  ///   - form: The columns and the window of the model: `Listener.form`.
  ///   - rate: Readings per second.
  ///   - time: The column of times; nil for `time` in seconds where there is one.
  ///   - recording: A column whose text changes where another recording begins; nil for none.
  ///   - truth: A column that says what each reading is; nil for none.
  /// - Throws: `ListeningError.absent` where the file is not there.
  public init(
    _ path: String, for form: WindowForm, rate: Double, time: TimeColumn? = nil, recording: String? = nil,
    truth: String? = nil
  ) throws(ListeningError) {
    lines = try ByteLines(path: path)
    (self.form, self.rate, self.time) = (form, rate, time)
    (recordingColumn, truthColumn) = (recording, truth)
    clock = ReadingClock(rate: rate)
  }

  /// - Throws: `ListeningError.data` where the first line does not name what the model needs, and where no line was a
  ///   reading.
  public func next() throws(ListeningError) -> ReadingEvent {
    guard events.isEmpty else { return handOver() }
    var (count, isOver) = (0, false)
    repeat {
      switch try lines.next() {
      case .line(let bytes):
        line += 1
        try take(bytes[...])
      case .nothing: break
      case .ended: isOver = true
      }
      count += 1
    } while !isOver && count < Self.most && lines.hasLine
    if isOver {
      guard faults.taken > 0 else { throw ListeningError.data("\(lines.path): \(emptiness)") }
      if holes > spoilt { faults.add(.missing, holes - spoilt) }
      (holes, spoilt) = (0, 0)
      emit(.ended)
    }
    flush()
    return events.isEmpty ? .nothing : handOver()
  }

  private func handOver() -> ReadingEvent {
    let (event, truths) = events.removeFirst()
    switch event {
    case .readings:
      let passed = max(0, known.count - form.window)
      known.removeFirst(passed)
      knownBegin += passed
      known += truths
    case .gap(let count): (known, knownBegin) = ([], knownBegin + known.count + count)
    case .recording: (known, knownBegin) = ([], 0)
    case .nothing, .ended: break
    }
    return event
  }

  /// The truth of most of a window's readings, of those that were handed over last; nil where nothing says it.
  public func truth(of found: Recognition) -> String? {
    truth(from: found.place, to: found.place + form.window)
  }

  /// The truth of most readings between two places, of those that were handed over last; nil where nothing says it.
  package func truth(from begin: Int, to end: Int) -> String? {
    guard begin >= knownBegin, end - knownBegin <= known.count else { return nil }
    let window = known[begin - knownBegin..<end - knownBegin]
    let counts = Dictionary(window.compactMap { $0 }.map { ($0, 1) }, uniquingKeysWith: +)
    // Of as many the first by name, so that it does not change from run to run.
    return counts.max { ($0.value, $1.key) < ($1.value, $0.key) }?.key
  }

  private var emptiness: String {
    let malformed = faults.count(.malformed)
    if malformed > 0 { return "no line is a reading: \(counted(malformed, "line")) malformed" }
    return header == nil
      ? "is empty; a first line names the columns" : "has no lines below the names of its columns"
  }

  /// An event behind the readings that came before it.
  private func emit(_ event: ReadingEvent) {
    flush()
    events.append((event, []))
  }

  private func flush() {
    guard !readings.isEmpty else { return }
    events.append((.readings(readings, times: header?.time == nil ? nil : times), truths))
    (readings, times, truths) = ([], [], [])
  }

  // MARK: Lines

  private func take(_ line: ArraySlice<UInt8>) throws(ListeningError) {
    var bytes = line
    if bytes.last == UInt8(ascii: "\r") { bytes.removeLast() }
    if self.line == 1, bytes.starts(with: [0xEF, 0xBB, 0xBF]) { bytes.removeFirst(3) }
    guard !bytes.isEmpty else { return }
    if let header { return take(bytes, header) }
    let header = try LineHeader(
      bytes, for: form, time: time, recording: recordingColumn, truth: truthColumn,
      place: "\(lines.path):\(self.line)")
    self.header = header
    if header.names == nil { take(bytes, header) }
  }

  private func take(_ line: ArraySlice<UInt8>, _ header: LineHeader) {
    guard String(validating: line, as: UTF8.self) != nil else {
      return malformed("the line is no text of UTF-8", header)
    }
    guard let fields = LineFields.fields(of: line, header.separator) else {
      return malformed("a quote is not closed", header)
    }
    guard fields.count == header.count else {
      let all = counted(fields.count, "field")
      return malformed("the line has \(all), and the first one \(header.count)", header)
    }
    if let column = header.recording, recording != fields[column] {
      recording = fields[column]
      restart()
      emit(.recording(fields[column]))
    }
    var (missing, time) = (0, nil as Double?)
    if let column = header.time {
      guard let stated = LineFields.number(fields[column]) else { return malformed(fields, column, header) }
      let seconds = stated / (self.time?.unit ?? .s).perSecond
      guard let before = missingBefore(seconds) else { return }
      (missing, time) = (before, seconds)
    }
    var numbers: [Float] = []
    for column in header.columns {
      guard let number = Float(fields[column]), number.isFinite else {
        // Its own place is missing, too.
        if header.time != nil { holes += missing + (last == nil ? 0 : 1) }
        return malformed(fields, column, header)
      }
      numbers.append(number)
    }
    let truth = header.truth.map { fields[$0] }
    take(numbers, at: time, missing: missing + holes, truth: truth)
  }

  /// The readings that are missing before one; nil where that one is left out.
  private func missingBefore(_ time: Double) -> Int? {
    if timed == 0 { (firstTime, lastTime) = (time, time) }
    timed += 1
    switch clock.place(of: time) {
    case .next(let missing):
      lateInRow = 0
      steps += 1
      if missing >= Self.leastPause { (pauses, paused) = (pauses + 1, paused + time - lastTime) }
      lastTime = time
      seeRate()
      return missing
    case .taken:
      fault(.duplicate, "the time \(written(time)) s is that of the reading before, at \(written(rate)) Hz")
      return nil
    case .late:
      fault(.late, "the time \(written(time)) s comes after later ones")
      lateInRow += 1
      // A clock that was set back, or a device that began anew.
      guard lateInRow > max(form.window, 4) else { return nil }
      tell("times begin anew here")
      restart()
      emit(.gap(0))
      return missingBefore(time)
    }
  }

  /// Works out the rate that the times say. Pauses are left out; where there are many, the rate is another one.
  private func seeRate() {
    let areFew = pauses * 10 < steps
    let seconds = lastTime - firstTime - (areFew ? paused : 0)
    guard timed >= Self.leastTimes, seconds > 0 else { return }
    faults.seenRate = Double(timed - 1 - (areFew ? pauses : 0)) / seconds
  }

  private func take(_ numbers: [Float], at time: Double?, missing: Int, truth: String?) {
    let absent = missing - spoilt
    (holes, spoilt) = (0, 0)
    if missing > 0 {
      if absent > 0 {
        let what = absent == 1 ? "1 reading is" : "\(absent) readings are"
        fault(.missing, "\(what) missing before this one", absent)
      }
      if let last, missing < form.window {
        for step in 1...missing {
          let share = Float(step) / Float(missing + 1)
          readings += zip(last.numbers, numbers).map { $0 + ($1 - $0) * share }
          if let begin = last.time, let time {
            times.append(begin + (time - begin) * Double(step) / Double(missing + 1))
          }
          if truthColumn != nil { truths.append(nil) }
        }
      } else {
        emit(.gap(missing))
      }
    }
    readings += numbers
    if let time { times.append(time) }
    if truthColumn != nil {
      let label = truth.flatMap { $0.isEmpty ? nil : $0 }
      truths.append(label)
      if let label { onLabel?(label, line) }
    }
    last = (numbers, time)
    faults.taken += 1
  }

  /// Forgets the lines before, which are of no use any more.
  private func restart() {
    clock = ReadingClock(rate: rate)
    (last, holes, spoilt, lateInRow, timed) = (nil, 0, 0, 0, 0)
    (steps, pauses, paused) = (0, 0, 0)
  }

  // MARK: Faults

  private func malformed(_ fields: [String], _ column: Int, _ header: LineHeader) {
    let name = header.names.map { quoted($0[column]) } ?? String(column + 1)
    malformed("column \(name): \(quoted(fields[column])) is no finite number", header)
  }

  private func malformed(_ reason: String, _ header: LineHeader) {
    fault(.malformed, reason)
    spoilt += 1
    // With times the next line tells how many are missing.
    if header.time == nil, last != nil { holes += 1 }
  }

  private func fault(_ kind: ReadingFaults.Kind, _ reason: String, _ count: Int = 1) {
    faults.add(kind, count)
    let told = faults.places(of: kind)
    guard told <= Self.told else { return }
    tell(reason + (told == Self.told ? "; more of this kind are only counted" : ""))
  }

  private func tell(_ reason: String) { onFault?("\(lines.path):\(line): \(reason)") }
}
