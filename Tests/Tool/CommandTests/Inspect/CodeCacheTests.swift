// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment
import Testing

/// The command's cache of compiled code: the sound is the same, and a second call opens no LLVM.
@Suite(.waits) struct CodeCacheTests {
  private let tool: Tool

  init() throws { tool = try Tool() }

  /// Runs the command, and says whether the system's linker has opened libLLVM for it.
  private func opensLLVM(
    _ arguments: [String], cache: String = "code", environment: [String: String] = [:]
  ) throws -> Bool {
    let own = ["LEGATO_CACHE": cache, "LD_DEBUG": "files", "LD_DEBUG_OUTPUT": tool.path("opened")]
    let run = try tool.run(arguments, environment: own.merging(environment) { $1 })
    #expect(run.code == 0, "\(run.messages)")
    let log = try #require(try tool.names.first { $0.hasPrefix("opened.") })
    let text = String(decoding: try tool.bytes(log), as: UTF8.self)
    #expect(text.contains("libsndfile"), "the linker says what it opens")
    try FileManager.default.removeItem(atPath: tool.path(log))
    return text.contains("libLLVM")
  }

  private func kept() throws -> [String] { try tool.files(in: "code") }

  @Test("a model that was rendered before is rendered without LLVM, and sounds the same")
  func process() throws {
    let words = { name in ["process", Tool.bitcrusher, Tool.sound, name, "--quiet"] }
    #expect(try opensLLVM(words("none.wav"), cache: ""))
    #expect(try opensLLVM(words("first.wav")))
    #expect(try kept().count == 2)
    #expect(try !opensLLVM(words("second.wav")))
    #expect(try opensLLVM(words("third.wav") + ["--passes", "none"]), "another text is another code")
    #expect(try kept().count == 3)
    let right = try tool.bytes("none.wav")
    for name in ["first.wav", "second.wav"] { #expect(try tool.bytes(name) == right) }
  }

  @Test("so are a folder of files, a search for what is not finite, and what is drawn")
  func others() throws {
    for (index, words) in [
      ["process", Tool.bitcrusher, Tool.sound, "--output-dir", "out", "--force", "--quiet"],
      ["process", Tool.bitcrusher, Tool.sound, "out.wav", "--check", "non-finite", "--force", "--quiet"],
      ["plot", "--model", Tool.bitcrusher, "--output", "out.svg", "--force", "--quiet"],
    ].enumerated() {
      #expect(try opensLLVM(words, cache: "code\(index)"))
      #expect(try !opensLLVM(words, cache: "code\(index)"), "\(words)")
    }
  }

  @Test("where libraries are looked for says which libLLVM is meant")
  func searchPath() throws {
    let words = ["process", Tool.bitcrusher, Tool.sound, "out.wav", "--force", "--quiet"]
    let elsewhere = ["LD_LIBRARY_PATH": tool.path("nothing")]
    #expect(try opensLLVM(words))
    #expect(try opensLLVM(words, environment: elsewhere) && !opensLLVM(words, environment: elsewhere))
    #expect(try !opensLLVM(words))
  }

  @Test("a disk that fills up keeps nothing, and is no matter")
  func fullDisk() throws {
    let run = try tool.shell(
      "(ulimit -f 4; LEGATO_CACHE=code $LEGATO plot --model \(Tool.bitcrusher) --output -; echo $?) | tail -n 1"
    )
    #expect(run.output == "0\n", "\(run.output) \(run.messages)")
    #expect(try kept().count < 2 && kept().allSatisfy { $0.hasSuffix(".legato-code") }, "nothing unfinished")
  }

  @Test("what is about the compiler neither reads nor keeps anything")
  func compiler() throws {
    for words in [
      ["inspect", Tool.bitcrusher], ["compile", Tool.bitcrusher, "--output", "model.o"],
      ["verify", Tool.bitcrusher, "--blocks", "0"],
    ] {
      #expect(try tool.run(words, environment: ["LEGATO_CACHE": "code"]).code == 0)
    }
    #expect(try kept().isEmpty)
  }

  @Test("a wrong LEGATO_LLVM is said, whatever is kept")
  func namedLibrary() throws {
    _ = try opensLLVM(["process", Tool.bitcrusher, Tool.sound, "a.wav", "--quiet"])
    let run = try tool.run(
      "process", Tool.bitcrusher, Tool.sound, "b.wav",
      environment: ["LEGATO_CACHE": "code", "LEGATO_LLVM": "/nonexistent"])
    #expect(run.code != 0 && run.messages.contains("/nonexistent"))
  }

  @Test(
    "without LEGATO_CACHE, code is kept in the user's home; a home that cannot be written to is no matter")
  func home() throws {
    let line = "env -u LEGATO_CACHE -u XDG_CACHE_HOME HOME="
    let rest = " $LEGATO process \(Tool.bitcrusher) \(Tool.sound) out.wav --force --quiet"
    try tool.makeFolder("home")
    for home in [tool.path("home"), "/proc"] {
      let run = try tool.shell(line + home + rest)
      #expect(run.code == 0 && run.messages.isEmpty, "\(run.messages)")
    }
    #expect(try tool.files(in: "home/.cache/legato").count == 2)
  }

  @Test("processes that keep the same code at once")
  func atOnce() throws {
    let runs = try (1...6).map { index in
      try tool.start(
        ["process", Tool.bitcrusher, Tool.sound, "\(index).wav", "--quiet"],
        environment: ["LEGATO_CACHE": "code"])
    }
    for run in try runs.map({ try $0.finish() }) { #expect(run.code == 0, "\(run.messages)") }
    for index in 2...6 { #expect(try tool.bytes("\(index).wav") == tool.bytes("1.wav")) }
    #expect(try kept().count == 2)
  }
}
