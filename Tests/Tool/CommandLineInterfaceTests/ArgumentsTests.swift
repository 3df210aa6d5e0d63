// SPDX-License-Identifier: Apache-2.0

import CommandLineInterface
import Testing

/// A command line taken apart.
@Suite struct ArgumentsTests {
  private static let rate = Option("rate", value: "HERTZ", "how fast")
  private static let ratio = Option("ratio", value: "R", "how much")
  private static let output = Option("output", letter: "o", value: "FILE", "where to")
  private static let force = Option("force", "replaces")
  private static let set = Option("set", value: "NAME=VALUE", isRepeatable: true, "turns")
  private static let all = [rate, ratio, output, force, set]

  private static func refusal(_ words: String...) -> String {
    do throws(Failure) {
      _ = try Arguments(words, options: all)
      return ""
    } catch { return error.lines(of: "command").joined() }
  }

  @Test func optionsStandAnywhere() throws {
    let arguments = try Arguments(
      ["in", "--rate", "48000", "-o", "x", "out", "--set=a=1", "--set", "b=2", "--", "--force"],
      options: Self.all)
    #expect(arguments.operands == ["in", "out", "--force"])
    #expect(try arguments.integer(Self.rate, in: 1...100_000) == 48000)
    #expect(arguments.value(of: Self.output) == "x" && arguments.values(of: Self.set) == ["a=1", "b=2"])
    #expect(!arguments.has(Self.force))
    #expect(try Arguments(["--forc", "--force"], options: Self.all).has(Self.force))
  }

  @Test func badWordsAreRefused() {
    #expect(
      Self.refusal("--ra", "1") == "command: --ra is the beginning of --rate and --ratio; write more of it")
    #expect(Self.refusal("--froce") == "command: no option is called '--froce'; did you mean --force?")
    #expect(Self.refusal("--rate") == "command: --rate HERTZ lacks its value; see --help")
    #expect(Self.refusal("--force=1") == "command: --force takes no value")
    #expect(Self.refusal("--rate", "1", "--rate", "2").hasPrefix("command: --rate is given twice"))
    #expect(Self.refusal("-x").hasPrefix("command: no option is called '-x'"))
  }

  /// getopt_long has one place in its global variables.
  @Test func manyThreadsTakeWordsApart() async {
    await withTaskGroup(of: Bool.self) { group in
      for number in 1...64 {
        group.addTask {
          let words = ["a\(number)", "--rate", "\(number)", "b"]
          let arguments = try? Arguments(words, options: Self.all)
          return arguments?.operands == ["a\(number)", "b"] && arguments?.value(of: Self.rate) == "\(number)"
        }
      }
      for await isRight in group { #expect(isRight) }
    }
  }
}
