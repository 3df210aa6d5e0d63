// SPDX-License-Identifier: Apache-2.0

import CRealtime
import GraphPlanning
import RealtimeCore
import Testing

/// Native code and the context agree on what a ramp looks like in memory.
@Suite struct RampLayoutTests {
  private func offset(of field: WorkspaceLayout.RampField) -> Int? {
    switch field {
    case .start: MemoryLayout<RampState>.offset(of: \.start)
    case .step: MemoryLayout<RampState>.offset(of: \.step)
    case .target: MemoryLayout<RampState>.offset(of: \.target)
    case .length: MemoryLayout<RampState>.offset(of: \.length)
    }
  }

  @Test(arguments: WorkspaceLayout.RampField.allCases)
  func aFieldStandsWhereTheContextWritesIt(field: WorkspaceLayout.RampField) {
    #expect(offset(of: field) == field.rawValue)
    let second = WorkspaceLayout.rampsOffset + MemoryLayout<RampState>.stride + field.rawValue
    #expect(WorkspaceLayout.rampOffset(of: 1, field) == second)
  }

  @Test(arguments: WorkspaceLayout.SpanField.allCases)
  func theSpanStandsWhereTheContextWritesIt(field: WorkspaceLayout.SpanField) {
    let offset =
      switch field {
      case .beginning: MemoryLayout<RampSpan>.offset(of: \.beginning)
      case .landing: MemoryLayout<RampSpan>.offset(of: \.landing)
      }
    #expect(offset == field.rawValue)
    #expect(field.offset + 8 <= WorkspaceLayout.rampsOffset)
  }

  @Test func rampsFollowOneAnother() {
    #expect(MemoryLayout<RampState>.stride == WorkspaceLayout.rampBytes)
    #expect(MemoryLayout<RampState>.size <= WorkspaceLayout.rampBytes)
  }
}
