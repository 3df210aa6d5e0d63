// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import GraphPlanning

/// Time-varying parameters as ramps: `start + step * frames`, each a function of the frame alone.
extension KernelEmitter {
  /// Whether a parameter may change from frame to frame while this code runs.
  func varies(_ parameter: Int) -> Bool { plan.kernelGraph.varies(parameter, in: variant) }

  /// Whether what an access reads may change so, because it is such a parameter.
  func varies(_ access: Access) -> Bool { plan.kernelGraph.varies(access, in: variant) }

  /// The start and step of a ramp in all lanes, loaded once for many positions.
  struct Ramp {
    var start: Lanes
    var step: Lanes
  }

  func ramp(_ parameter: Int) -> Ramp {
    func field(_ field: WorkspaceLayout.RampField) -> String {
      builder.loadScalar(self.ramp(parameter, field))
    }
    return Ramp(
      start: builder.broadcast(field(.start)), step: builder.broadcast(field(.step)))
  }

  /// The frames that all ramps have behind them, read once for many positions.
  ///
  /// A ramp has fewer than 2^24 frames. They are spread before they become floats: x86 converts a single number into
  /// the lowest lane of a register whose other lanes stay, and so would wait for what the last block left there.
  func elapsedFrames() -> Lanes {
    let place = builder.address("%workspace", bytes: String(WorkspaceLayout.SpanField.beginning.offset))
    let beginning = builder.define("load i64, ptr \(place), align 8")
    let elapsed = builder.define("sub i64 \(stretch.position), \(beginning)")
    let short = builder.define("trunc i64 \(elapsed) to i32")
    return builder.convert("sitofp", builder.broadcast(short, .i32), to: .float)
  }

  /// The numbers of a position's frames in all ramps, from 1 on; those in the tile come from a table, which is faster
  /// than converting them.
  ///
  /// A ramp has fewer than 2^24 frames: the sum is exact, in whatever order it is made.
  func frameNumbers(behind elapsed: Lanes, at position: StagePosition) -> Lanes {
    let numbers = builder.load(
      ModuleText.frameNumbers, at: StagePosition(index: position.index, vectors: position.vectors, mask: nil))
    return builder.add(elapsed, numbers)
  }

  /// A time-varying parameter: `fma(elapsed + 1, step, start)`, a function of the frame alone.
  func value(of ramp: Ramp, at frames: Lanes) -> Lanes {
    builder.fma(frames, ramp.step, ramp.start)
  }
}
