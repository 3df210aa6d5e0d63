// SPDX-License-Identifier: Apache-2.0

import TestEquipment

/// Runs the benchmark that stands beside the tests to its end.
func runBench(
  _ arguments: [String], in folder: TemporaryFolder, environment: [String: String] = [:]
) throws -> ProgramRun {
  try RunningProgram(
    RunningProgram.built("legato-bench"), arguments, in: folder.path, environment: environment
  ).finish()
}
