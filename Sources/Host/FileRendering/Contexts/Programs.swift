// SPDX-License-Identifier: Apache-2.0

internal import Legato
internal import Synchronization

/// The programs of one model: one for each number of channels and sample rate, made when a file first needs it.
///
///     44100 Hz, stereo ─▶ program ─▶ context, context, …    one for each file, on any thread
///     48000 Hz, mono   ─▶ program ─▶ context, …
final class Programs: Sendable {
  private struct Key: Hashable {
    let extents: [String: Int]
    let sampleRate: Int
  }

  /// A compiled program: the code, the compiler's warnings, and the automation in its frames.
  struct Entry: Sendable {
    let compilation: Compilation
    let program: Program
    let warnings: [String]
    let automation: Automation
  }

  private let model: Model
  private let options: CompilerOptions
  private let settings: [ParameterSetting]
  /// Nil where nothing moves by itself.
  private let automation: AutomationPoints?
  private let entries = Mutex<[Key: Result<Entry, ModelError>]>([:])

  /// The most programs that are kept: a folder with a different rate in each file must not fill the memory.
  private static let most = 64

  init(
    _ model: Model, _ options: CompilerOptions, settings: [ParameterSetting], automation: AutomationPoints?
  ) {
    self.model = model
    self.options = options
    self.settings = settings
    self.automation = automation
  }

  /// The program for a file. One thread compiles; others wait in the meantime, also those that need another one.
  func entry(extents: [String: Int], sampleRate: Int) throws(ModelError) -> Entry {
    let key = Key(extents: extents, sampleRate: sampleRate)
    let result = entries.withLock { entries in
      if let known = entries[key] { return known }
      let made = compile(extents, sampleRate)
      if entries.count >= Self.most { entries.removeAll() }
      entries[key] = made
      return made
    }
    return try result.get()
  }

  private func compile(_ extents: [String: Int], _ sampleRate: Int) -> Result<Entry, ModelError> {
    Result { () throws(ModelError) in
      let compilation = try model.compilation(
        extents: extents, sampleRate: Double(sampleRate), options: options)
      let layout = compilation.layout
      let automation = Automation(automation, of: layout, sampleRate: Double(sampleRate))
      var values = settings.values
      for move in automation.moves(at: 0) { values[layout.parameters[move.parameter].name] = move.value }
      let program = try compilation.program(settledAt: values)
      return Entry(
        compilation: compilation, program: program,
        warnings: compilation.warnings(settingParameters: values), automation: automation)
    }
  }
}
