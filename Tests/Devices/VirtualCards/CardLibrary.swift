// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The virtual card as a library that alsa-lib loads, built by the toolchain's C compiler when a test first asks for
/// it.
///
///     Card/*.c ─▶ clang ─▶ TEMPORARY/card.so ◀── asound.conf ◀── ALSA_CONFIG_PATH
///
/// It is built without a sanitizer and loads where the program has one, too. The folder goes when the process ends.
package struct CardLibrary: Sendable {
  package static let shared = Result { try CardLibrary() }

  let folder: String

  private init() throws {
    let parent = FileManager.default.temporaryDirectory.path
    folder = parent + "/legato-card-library-" + UUID().uuidString
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    unsafe libraryFolder = folder
    atexit { unsafe try? FileManager.default.removeItem(atPath: libraryFolder) }
    let sources = try FileManager.default.contentsOfDirectory(
      at: Bundle.module.bundleURL.appendingPathComponent("Card"), includingPropertiesForKeys: nil)
    let compiler = Process()
    compiler.executableURL = URL(fileURLWithPath: "/usr/bin/env")
    compiler.arguments =
      [
        "clang", "-shared", "-fPIC", "-std=gnu17", "-D_GNU_SOURCE", "-O1", "-Wall", "-Wextra", "-Werror",
        // Cards live as long as the process, though alsa-lib closes the library with the last of them.
        "-Wl,-z,nodelete", "-o", library,
      ] + sources.map(\.path).filter { $0.hasSuffix(".c") } + ["-lasound"]
    let messages = Pipe()
    compiler.standardError = messages
    try compiler.run()
    let text = String(decoding: try messages.fileHandleForReading.readToEnd() ?? Data(), as: UTF8.self)
    compiler.waitUntilExit()
    if compiler.terminationStatus != 0 { throw Failure(text: text) }
    try Data(configuration.utf8).write(to: URL(fileURLWithPath: folder + "/asound.conf"))
  }

  struct Failure: Error, CustomStringConvertible {
    var text: String
    var description: String { "the virtual card cannot be built with clang: \(text)" }
  }

  private var library: String { folder + "/card.so" }

  /// The configuration by which alsa-lib finds cards by their folders, as `legato:FOLDER`; nothing of this machine's
  /// own.
  var configuration: String {
    """
    pcm_type.legatocard { lib "\(library)" }
    pcm.legato {
      @args [ FOLDER ]
      @args.FOLDER { type string }
      type legatocard
      folder $FOLDER
    }
    pcm.plug {
      @args [ SLAVE ]
      @args.SLAVE { type string }
      type plug
      slave.pcm $SLAVE
    }

    """
  }

  /// The same, and alsa-lib finds virtual cards, and nothing else, in this process from here on.
  ///
  /// The environment belongs to the whole process: there is one configuration for all tests, and each card has a name
  /// of its own. Programs that are started inherit it, unless they are given another.
  package static let here = shared.map { library in
    unsafe setenv("ALSA_CONFIG_PATH", library.folder + "/asound.conf", 1)
    return library
  }
}

/// Written once, before anything reads it: what runs at the end of a process takes no context.
private nonisolated(unsafe) var libraryFolder = ""
