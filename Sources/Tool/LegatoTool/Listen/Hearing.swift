// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import Foundation
internal import Glibc
internal import GraphIR
internal import LearningPictures
internal import Legato
internal import LegatoTraining
internal import Listening
internal import TerminalDrawing

/// One run of a listener over a source: what is written, shown and said of it.
struct Hearing {
  /// A view that is open.
  final class View {
    let terminal: TerminalView
    var picture: ListenView

    init(terminal: TerminalView, picture: ListenView) { (self.terminal, self.picture) = (terminal, picture) }

    func show() { terminal.show { picture.screen(columns: $0, rows: $1) } }
  }

  /// The source, as messages call it.
  private let name: String
  private var format: RecognitionFormat
  /// The confusion matrix, where the truth is known.
  private var judgement: Confusion?
  private let file: TextFile?
  /// The path of the file.
  private let destination: String
  private var console: Console
  private let view: View?
  /// Whether the model's file says the rate, and nothing else can.
  private let isRateStated: Bool
  /// How many were heard.
  private(set) var windows = 0
  private var saidNoProbabilities = false
  private var saidNoNumber = false

  init(
    _ name: String, _ format: RecognitionFormat, judgement: Confusion?, file: (text: TextFile, path: String)?,
    view: View?, isRateStated: Bool, _ console: Console
  ) {
    (self.name, self.format, self.judgement, self.isRateStated) = (name, format, judgement, isRateStated)
    (self.file, destination, self.view, self.console) = (file?.text, file?.path ?? "", view, console)
  }

  /// Listens to the end, or until somebody asks for it.
  mutating func hear(_ listener: inout Listener, _ source: any ReadingSource) throws {
    let rate = listener.rate
    let lines = source as? LineReadings
    let diversion = MessageDiversion()
    if let view, view.terminal.enter() {
      console.diversion = diversion
      diversion.show = { view.picture.message = $0 }
    }
    let console = console
    lines?.onFault = { console.notice($0) }
    let (name, labels) = (name, format.labels)
    var foreign = (readings: 0, told: Set<String>())
    // Also where windows are mostly others.
    lines?.onLabel = { label, line in
      guard !labels.contains(printable(label, limit: 256)) else { return }
      foreign.readings += 1
      guard foreign.told.count < 3, foreign.told.insert(label).inserted else { return }
      console.notice(
        "\(name):\(line): \(quoted(label)) is no label of the model, and windows that are mostly it are not judged"
          + hint(for: label, among: labels))
    }
    defer {
      view?.terminal.leave()
      for line in diversion.end() { console.error(line) }
      sayEnd(source, rate: rate)
      if foreign.readings > 0 {
        console.notice("\(name): \(counted(foreign.readings, "reading")) with labels that the model has not")
      }
    }
    do {
      while !Interruption.isAsked, let found = try listener.hear(source.next()) {
        for answer in found { try take(answer, truth: lines?.truth(of: answer)) }
        view?.show()
        if view != nil, !press(&listener) { break }
      }
    } catch let error as ListeningError {
      // What was heard before is as good as ever.
      if windows > 0 { try end() }
      throw error
    }
    guard windows > 0 else {
      // Who ends it before anything was heard gets no file.
      if Interruption.isAsked || view != nil { return }
      let window = counted(listener.form.window, "reading")
      throw Failure.faults(["\(name): no whole window of \(window) came"])
    }
    try end()
  }

  /// Writes what stands behind the last answer.
  private mutating func end() throws {
    try write(format.end())
    if let judgement {
      let report = ConfusionReport(judgement, labels: format.labels)
      switch format.kind {
      case .table where view != nil && file == nil:
        // A view shows none; it is on the terminal behind it.
        view?.terminal.leave()
        try console.print(report.text(console))
      case .table: try write(report.text(plainConsole))
      case .json: try write(RecognitionFormat.line(report))
      case .lines, .labels:
        console.notice(
          "\(name): \(decimals(judgement.accuracy * 100)) % of \(counted(judgement.total, "window")) are right"
        )
      }
    }
    guard let file else { return }
    try file.commit()
    console.notice("\(destination): \(counted(windows, "window"))")
  }

  /// In a file headings are plain.
  private var plainConsole: Console {
    var console = console
    console.isPlain = file != nil
    return console
  }

  /// Takes the keys that were pressed; returns whether it goes on.
  private func press(_ listener: inout Listener) -> Bool {
    var keys = [UInt8](repeating: 0, count: 256)
    let count = unsafe read(STDIN_FILENO, &keys, keys.count)
    for key in keys.prefix(max(0, count)) {
      switch key {
      case UInt8(ascii: "q"): return false
      case UInt8(ascii: "r"): listener.forget()
      case _: break
      }
    }
    return true
  }

  private mutating func take(_ found: Recognition, truth: String?) throws {
    if windows == 0 { try write(format.head(of: found)) }
    windows += 1
    check(found)
    view?.picture.found = found
    try write(try format.text(found))
    guard let truth else { return }
    guard let actual = found.labels.firstIndex(of: truth) else { return }
    judgement?.add(actual: actual, predicted: found.best ?? -1)
  }

  private mutating func check(_ found: Recognition) {
    if found.best == nil, !saidNoNumber {
      saidNoNumber = true
      console.notice("\(name): the window from \(written(found.begin)) s has no finite probability")
    }
    guard !saidNoProbabilities, !found.probabilities.allSatisfy({ !$0.isFinite || (0...1.0001).contains($0) })
    else { return }
    saidNoProbabilities = true
    console.notice("\(name): these numbers are no probabilities, which lie from 0 to 1; a softmax makes them")
  }

  private func write(_ text: String) throws {
    if let file { file.write(text) } else if view == nil { try console.print(text) }
  }

  private func sayEnd(_ source: any ReadingSource, rate: Double) {
    if let lines = source as? LineReadings { say(lines.faults, rate: rate) }
    if let device = source as? SoundDeviceReadings, device.framesLost > 0 {
      let lost = counted(device.framesLost, "frame")
      console.notice("\(name): \(lost) of the sound are lost, as the model took too long")
    }
  }

  private func say(_ faults: ReadingFaults, rate: Double) {
    guard !faults.isEmpty else { return }
    console.notice("\(name): \(counted(faults.taken, "reading")) taken; \(faults.summary)")
    guard let seen = faults.seenRate, !(0.8...1.25).contains(seen / rate) else { return }
    console.notice(
      "\(name): its times say \(String(format: "%.3g", seen)) readings in a second, and the rate is "
        + written(rate)
        + (isRateStated
          ? ", as the model says; the unit of --time may be another one"
          : "; --rate, or the unit of --time, may be another one"))
  }
}
