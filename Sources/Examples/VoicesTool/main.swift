// SPDX-License-Identifier: Apache-2.0

internal import CommandLineInterface
internal import Foundation
internal import Voices

let environment = ProcessInfo.processInfo.environment
// Lines are seen as they come.
let command = VoicesCommand(
  environment: environment, print: { FileHandle.standardOutput.write(Data("\($0)\n".utf8)) },
  say: { FileHandle.standardError.write(Data("\($0)\n".utf8)) }, terminal: VoiceTerminal(environment))
let code = command.run(Array(CommandLine.arguments.dropFirst()))
Interruption.endIfAsked()
exit(code)
