// SPDX-License-Identifier: Apache-2.0

internal import Foundation
internal import Listening

func write(_ line: String, to file: FileHandle) { file.write(Data((line + "\n").utf8)) }

let words = Array(CommandLine.arguments.dropFirst())
guard !words.contains("--help") else {
  write(MotionProgram.help, to: .standardOutput)
  exit(0)
}
do {
  // Lines are seen as they come.
  try MotionProgram(words).run(
    print: { write($0, to: .standardOutput) }, say: { write($0, to: .standardError) })
} catch {
  let isMisuse = error is MotionProgram.Misuse
  write(isMisuse ? "legato-motions: \(error)" : "\(error)", to: .standardError)
  if case ListeningError.absent = error { exit(3) }
  exit(isMisuse ? 2 : 1)
}
