// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import GraphPlanning

extension Diagram {
  /// The plan: kernels as boxes around their nodes, and the memory that they hand values over in.
  ///
  ///       src                    a port
  ///     ╭──▼───────────────╮
  ///     │ src  gain        │     what a kernel loads stands at its upper border, what it stores at its lower one
  ///     │  ▼    ▼          │
  ///     │ src * gain       │
  ///     ╰──┬───────────────╯
  ///     buffer 0                 its bytes, and where they begin
  ///
  /// A buffer that is written again after it was read appears again: it holds something else. Names are those of the
  /// plan's text.
  package init(compiled plan: Plan) {
    self = CompiledDrawing(plan).diagram()
  }
}

/// One kernel of a list, and what the list is for.
struct KernelEntry {
  var title: String
  var kernel: Kernel
}

struct CompiledDrawing {
  let plan: Plan
  let names: [ValueID: String]
  let isLarge: Bool

  /// How often kernels use each place.
  private let uses: [Location: Int]

  init(_ plan: Plan) {
    self.plan = plan
    names = plan.namesOfValues()
    isLarge = plan.graph.isLarge
    uses = Self.uses(of: plan.kernelGraph.kernels)
  }

  private static func uses(of kernels: [Kernel]) -> [Location: Int] {
    var uses: [Location: Int] = [:]
    for kernel in kernels {
      let accesses = kernel.accesses
      for access in accesses.reads + accesses.writes { uses[access.location, default: 0] += 1 }
    }
    return uses
  }

  /// The places at which a cycle meets what is outside it.
  private func border(of cycle: CycleKernel) -> Set<Location> {
    let inside = Self.uses(of: cycle.kernels)
    return Set(
      inside.keys.filter {
        switch $0 {
        case .input, .output: true
        case .buffer, .weights, .parameter, .history: inside[$0] != uses[$0]
        }
      })
  }

  func diagram() -> Diagram {
    let graph = plan.kernelGraph
    var entries = graph.blockKernels.enumerated().map { index, kernel in
      KernelEntry(title: "kernel \(index) after a parameter's step", kernel: kernel)
    }
    if let settling = graph.settling {
      entries.append(KernelEntry(title: "kernel after the last ramp", kernel: .map(settling)))
    }
    entries += graph.kernels.enumerated().map { KernelEntry(title: "kernel \($0)", kernel: $1) }
    var list = KernelListDrawing(self, entries)
    return list.diagram()
  }

  /// The box around a kernel's nodes, with the pins at which edges from and to places meet it.
  func box(_ entry: KernelEntry) -> (box: Diagram.Box, pins: KernelPins) {
    if case .cycle(let cycle) = entry.kernel {
      var box = Diagram.Box(.cycle, entry.title, details: [cycle.title])
      let entries = cycle.kernels.enumerated().map { KernelEntry(title: "\(entry.title).\($0)", kernel: $1) }
      var list = KernelListDrawing(self, entries, border: border(of: cycle))
      box.interior = list.diagram()
      return (box, list.pins)
    }
    var box = Diagram.Box(.kernel, entry.title, details: [entry.kernel.summary])
    var drawing = KernelDrawing(self, entry.kernel)
    box.interior = drawing.diagram()
    return (box, drawing.pins)
  }

  /// The box of a place outside kernels.
  func box(of location: Location) -> Diagram.Box {
    let (graph, layout) = (plan.kernelGraph, plan.layout)
    switch location {
    case .input(let index):
      let input = plan.graph.inputs[index]
      return Diagram.Box(.port, input.name, details: ["input"], tab: input.type.description)
    case .output(let index):
      let output = plan.graph.outputs[index]
      return Diagram.Box(.port, output.name, details: ["output \(plan.graph.shape(of: output.value))"])
    case .buffer(let id):
      let buffer = graph.buffers[id.index]
      let (kind, lifetime): (Diagram.Kind, [String]) =
        switch buffer.lifetime {
        case .tile: (.memory, [])
        case .held: (.memory, ["held"])
        case .state: (.state, ["state"])
        }
      let tab =
        switch buffer.extent {
        case .rows(let count): "[\(count), frames]"
        case .elements(let count): "[\(count)]"
        case .columns(let count): "[frames, \(count)]"
        }
      let memory = "\(buffer.bytes) bytes at \(layout.bufferOffsets[id.index])"
      return Diagram.Box(kind, name(of: location), details: [memory] + lifetime, tab: tab)
    case .history(let id):
      let history = graph.histories[id.index]
      let details = [
        "\(names[history.value]!), \(history.length) back",
        "\(layout.histories[id.index].bytes) bytes at \(layout.historyOffsets[id.index])",
      ]
      return Diagram.Box(
        .state, name(of: location), details: details, tab: plan.graph[history.value].type.description)
    case .weights, .parameter:
      return Diagram.Box(sign: location.kind, name(of: location))
    }
  }

  func name(of location: Location) -> String {
    switch location {
    case .input(let index): plan.graph.inputs[index].name
    case .output(let index): plan.graph.outputs[index].name
    case .buffer(let id): "buffer \(id.index)"
    case .weights(let offset): "weights at \(offset * 4)"
    case .parameter(let index): plan.graph.parameters[index].name
    case .history(let id): "history \(id.index)"
    }
  }
}

/// The boxes within a kernel's box at which places outside meet it.
struct KernelPins {
  var reads: [(location: Location, pin: Int)] = []
  var writes: [(location: Location, pin: Int)] = []
}

extension Location {
  /// Whether kernels hand values over in it, so that edges lead to it and from it.
  var joinsKernels: Bool {
    switch self {
    case .input, .output, .buffer, .history: true
    case .weights, .parameter: false
    }
  }

  var kind: Diagram.Kind {
    switch self {
    case .input, .output: .port
    case .buffer: .memory
    case .weights: .weights
    case .parameter: .parameter
    case .history: .state
    }
  }
}

extension Kernel {
  /// Its loops, in a few words.
  fileprivate var summary: String {
    switch self {
    case .map(let map): (map.nodes.isEmpty ? "copy" : "map") + " over \(map.space.text)"
    case .fold(let fold):
      "fold over \(fold.space.text), reducing \(fold.reduced.map(String.init).joined(separator: " × "))"
    case .sample(let sample):
      sample.result == nil ? "sample, every \(Op.controlFrames) frames" : "phasor, frame by frame"
    case .cycle(let cycle): cycle.title
    }
  }
}

extension Space {
  fileprivate var text: String {
    let last =
      switch inner {
      case .frames: "frames"
      case .count(let count): String(count)
      }
    return (extents.map(String.init) + [last]).joined(separator: " × ")
  }
}

extension Plan {
  /// Values by the names that the plan's text gives them.
  fileprivate func namesOfValues() -> [ValueID: String] {
    var names: [ValueID: String] = [:]
    let text = KernelText(kernelGraph)
    for node in graph.nodes {
      // Numbers as people write them.
      names[node.result] = node.op.literal.map { written($0) } ?? text.name(node.result)
    }
    return names
  }
}
