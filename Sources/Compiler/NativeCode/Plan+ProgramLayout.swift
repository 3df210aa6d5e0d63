// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import GraphPlanning
package import RealtimeCore

extension Plan {
  /// The part of the plan that a context needs.
  package var programLayout: ProgramLayout {
    let isStream = graph.clock == .stream
    func port(_ name: String, _ shape: Shape) -> ProgramLayout.Port {
      ProgramLayout.Port(
        name: name, shape: shape.fixed, rows: isStream ? shape.count : 1,
        rowLength: isStream ? nil : shape.count)
    }
    return ProgramLayout(
      inputs: graph.inputs.map { port($0.name, $0.type.shape) },
      outputs: graph.outputs.map { port($0.name, graph.shape(of: $0.value)) },
      parameters: graph.parameters.map { parameter in
        .init(
          name: parameter.name, minimum: parameter.minimum, maximum: parameter.maximum,
          initial: parameter.initial, unit: parameter.unit,
          rampFrames: isStream ? Int32(parameter.rampFrames) : 0)
      },
      executesStream: isStream, latency: latency, workspaceSize: layout.size,
      positionOffset: WorkspaceLayout.positionOffset, blockStaleOffset: WorkspaceLayout.blockStaleOffset,
      settledStaleOffset: WorkspaceLayout.settledStaleOffset,
      rampSpanOffset: WorkspaceLayout.rampSpanOffset, rampsOffset: WorkspaceLayout.rampsOffset,
      signalDelays: signalDelays, countsOffset: layout.countsRange.lowerBound,
      stateRange: layout.stateRange, histories: isStream ? histories : [], prewarm: graph.prewarm,
      makesNoise: graph.readsPosition)
  }

  private var signalDelays: [ProgramLayout.SignalDelay] {
    let (taps, names) = (graph.taps, graph.namesReached)
    return taps.map { value in
      guard let range = graph.definition(of: value).op.row.counted else {
        preconditionFailure("a count of what is no delay by a signal")
      }
      let place = graph.origins.places[value]
      return .init(
        name: names[value] ?? "", line: place?.line, column: place?.column, file: place?.file,
        range: range)
    }
  }

  /// Where the past of each value that is remembered stands, of steps as well.
  package var histories: [ProgramLayout.History] {
    let histories = kernelGraph.histories
    let inRegisters = kernelGraph.historiesInRegisters
    return zip(kernelGraph.historyNames, histories.indices).map { name, index in
      let ring = layout.histories[index]
      let (history, offset) = (histories[index], layout.historyOffsets[index])
      let constant: Float? =
        if case .literal(let number) = graph.definition(of: history.value).op { number } else { nil }
      switch history.layout {
      case .rows:
        let movesOn = ring.search == .window
        let reach = movesOn ? ring.capacity : ring.capacity - Plan.tileFrames
        return ProgramLayout.History(
          name: name, offset: offset, rows: history.width, pitch: ring.pitch, framePitch: 4,
          capacity: ring.capacity, repeated: ring.repeated, movesOn: movesOn,
          reach: inRegisters.contains(HistoryID(index)) ? history.length : reach,
          length: history.length, constant: constant)
      case .columns:
        return ProgramLayout.History(
          name: name, offset: offset, rows: history.width, pitch: history.width == 1 ? ring.bytes : 4,
          framePitch: ring.pitch,
          capacity: ring.capacity, repeated: 0, reach: ring.capacity, length: history.length,
          constant: constant)
      }
    }
  }
}
