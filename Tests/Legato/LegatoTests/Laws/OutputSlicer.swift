// SPDX-License-Identifier: Apache-2.0

import GraphIR
import TestEquipment

/// Puts what slices can move above behind the outputs of a graph, and slices behind that.
struct OutputSlicer {
  var graph: Graph
  var random: SplitMix

  /// Lets an output show a part of what is computed of it; sometimes one more output shows another part.
  mutating func slice(output index: Int) {
    var whole = graph.outputs[index].value
    if random.chance(0.7) { whole = spread(whole) ?? whole }
    for _ in 0..<(1 + random.below(4)) { whole = layer(over: whole) ?? whole }
    graph.outputs[index].value = part(of: whole)
    if random.chance(0.3) {
      graph.outputs.append(OutputPort(name: "\(graph.outputs[index].name)_part", value: part(of: whole)))
    }
  }

  /// One more axis, with six different numbers along it for each one that there is.
  private mutating func spread(_ x: ValueID) -> ValueID? {
    let fixed = graph.shape(of: x).fixed
    guard fixed.reduce(1, *) <= 8, let column = append(.reshape(fixed + [1]), [x]) else { return nil }
    return append(.binary(.multiply), [column, weights([6])])
  }

  private mutating func part(of whole: ValueID) -> ValueID {
    var value = whole
    for axis in graph.shape(of: whole).fixed.indices where random.chance(0.7) {
      let extent = graph.shape(of: value).fixed[axis]
      let start = random.below(extent)
      let slice = Op.slice(axis: axis, start: start, count: 1 + random.below(extent - start))
      value = append(slice, [value]) ?? value
    }
    return value
  }

  /// A value computed of another one by chance; nil where the op does not fit.
  private mutating func layer(over x: ValueID) -> ValueID? {
    let fixed = graph.shape(of: x).fixed
    guard !fixed.isEmpty else { return append(.broadcast([3]), [x]) }
    let axis = random.below(fixed.count)
    switch random.below(14) {
    case 12:
      return append(.window(Window(axis: axis, size: 1 + random.below(3), hop: 1 + random.below(2))), [x])
    case 13: return append(.contraction(), [x, weights([1 + random.below(3), fixed[fixed.count - 1]])])
    case 0: return append(.unary(random.pick([.tanh, .sin, .abs, .negate])), [x])
    case 1: return append(.binary(.multiply), [x, weights([fixed[fixed.count - 1]])])
    case 2: return append(.pad(axis: axis, before: random.below(3), after: random.below(3)), [x])
    case 3: return append(.transpose(Array(fixed.indices).shuffled(using: &random)), [x])
    case 4:
      let count = fixed.reduce(1, *)
      let first = random.pick((1...count).filter { count.isMultiple(of: $0) })
      return append(.reshape([first, count / first]), [x])
    case 5: return append(.concatenate(axis: axis), [x, append(.unary(.tanh), [x])!, x])
    case 6: return append(random.chance() ? .sum(axis: axis) : .maximum(axis: axis), [x])
    case 7: return append(.delay(1 + random.below(5)), [x])
    case 8:
      let outputs = 2 + random.below(4)
      let bias = random.chance() ? [weights([outputs])] : []
      return append(.dense(axis: axis), [x, weights([outputs, fixed[axis]])] + bias)
    default: return convolution(over: x, fixed, axis)
    }
  }

  private mutating func convolution(over x: ValueID, _ fixed: [Int], _ axis: Int) -> ValueID? {
    var convolution = Convolution(
      axis: .frames, kernelSize: 1 + random.below(3), dilation: 1 + random.below(2))
    if graph.shape(of: x).frames == nil || random.chance() {
      convolution.axis = .fixed(axis)
      convolution.walks[0].stride = 1 + random.below(2)
      if axis + 1 < fixed.count, random.chance() {
        convolution.walks.append(.init(kernelSize: 1 + random.below(2)))
      }
    }
    let channelAxis = convolution.channelAxis(of: graph.shape(of: x))
    guard fixed.indices.contains(channelAxis) else { return nil }
    let channels = fixed[channelAxis]
    convolution.groups = random.pick((1...channels).filter { channels.isMultiple(of: $0) })
    let outputs = convolution.groups * (1 + random.below(3))
    let weight = weights([outputs, channels / convolution.groups] + convolution.walks.map(\.kernelSize))
    return append(.convolution(convolution), [x, weight] + (random.chance() ? [weights([outputs])] : []))
  }

  private mutating func weights(_ shape: [Int]) -> ValueID {
    let values = (0..<shape.reduce(1, *)).map { _ in random.float(-0.5, 0.5) }
    graph.weights.append(
      Weights(name: "slicer \(graph.weights.count)", shape: shape, values: Numbers(values)))
    return graph.append(.weights(WeightsID(graph.weights.count - 1)), [], type: TensorType(Shape(shape)))
  }

  private mutating func append(_ op: Op, _ operands: [ValueID]) -> ValueID? {
    let types = operands.map { graph[$0].type }
    guard let type = try? op.resultType(types, clock: graph.clock), type.shape.count <= 400 else {
      return nil
    }
    return graph.append(op, operands, type: type)
  }
}
