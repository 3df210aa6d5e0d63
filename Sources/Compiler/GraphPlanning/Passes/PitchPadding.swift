// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

extension KernelPass {
  /// Lets the terms of a fold begin at places all over a page.
  ///
  ///     fold over …, reducing t: 64, from buffer 0 [64, 4096]      term by term 16 KiB apart, or 4098 numbers
  /// →
  ///     fold over …, reducing t: 64, from buffer 0 [64, 4112]      an odd number of cache lines apart
  ///
  /// A cache finds room for a line by its place in a page: of terms that are a power of two apart, or hardly more, as those of
  /// lines with a border are, only a few stay in it, and the next tile of results reads all of them anew. Legal because each
  /// walk over the buffer finds the same numbers: what adds up within a pitch never comes to the next one. What lies between
  /// is neither written nor read.
  static let pitchPadding = KernelPass(
    name: "pitch-padding", summary: "lets terms that lie about a power of two apart begin all over a page"
  ) { graph, context in
    guard graph.graph.clock == .step, context.goal == .speed else { return }
    var buffers = graph.buffers
    var pitches: [BufferID: Int] = [:]
    for (id, pitch) in graph.pitchesToPad.sorted(by: { $0.key < $1.key }) {
      guard case .elements(let count) = buffers[id.index].extent, context.mayRewrite() else { continue }
      let rows = (count + pitch - 1) / pitch
      buffers[id.index].extent = .elements(rows * Pitch.padded(pitch))
      pitches[id] = pitch
    }
    guard !pitches.isEmpty else { return }
    func padded(_ access: Access, _ loops: Loops) -> Access {
      guard case .buffer(let id) = access.location, let pitch = pitches[id] else { return access }
      return access.padded(every: pitch, loops)!
    }
    graph = graph.replacing(
      blockKernels: graph.blockKernels.map { $0.rewriting(reads: padded, writes: padded) },
      kernels: graph.kernels.map { $0.rewriting(reads: padded, writes: padded) }, buffers: buffers)
  }
}

private enum Pitch {
  /// The numbers of a cache line.
  private static let line = 16
  /// A quarter of a page: terms that are so many numbers apart, or a multiple, begin at four places of a cache.
  private static let part = 256
  /// A cache has room for that many lines of one place in a page.
  private static let fewestTerms = 16

  /// Whether terms so many numbers apart meet each other at few places of a page: from the first to the last they come away
  /// from these by half a part at most. Those that are next to each other do not.
  static func crowds(_ pitch: Int, terms: Int) -> Bool {
    let drift = min(pitch % part, part - pitch % part)
    return pitch > part / 2 && terms >= fewestTerms && drift * terms <= part / 2
  }

  /// The next odd number of cache lines, which leads to all places in turn.
  static func padded(_ pitch: Int) -> Int { ((pitch + line - 1) / line | 1) * line }
}

extension KernelGraph {
  /// The distances of terms in buffers that are to be made longer, and that all walks there allow to.
  fileprivate var pitchesToPad: [BufferID: Int] {
    var pitches: [BufferID: Int] = [:]
    for case .fold(let fold) in kernels where fold.right != nil && !fold.tile.isAlongTerms {
      for operand in [fold.left, fold.right!] {
        guard case .buffer(let id) = operand.location, buffers[id.index].lifetime != .state,
          case .count(let count) = fold.space.inner
        else { continue }
        // Terms that follow each other use all of a page.
        for (terms, stride) in zip(fold.reduced, operand.strides.suffix(fold.reduced.count))
        where stride > operand.innerStride * count && Pitch.crowds(stride, terms: terms) {
          pitches[id] = pitches[id] ?? stride
        }
      }
    }
    for kernel in allKernels {
      let (reads, writes) = kernel.walks
      for (access, loops) in reads + writes {
        guard case .buffer(let id) = access.location, let pitch = pitches[id] else { continue }
        if case .cycle = kernel { pitches[id] = nil }
        if access.padded(every: pitch, loops) == nil { pitches[id] = nil }
      }
    }
    return pitches
  }
}

extension Access {
  /// The same walk where there is room behind each pitch; nil where steps within a pitch may come to the next one.
  fileprivate func padded(every pitch: Int, _ loops: Loops) -> Access? {
    guard index == nil, case .count(let count) = loops.inner else { return nil }
    var within = offset % pitch
    for (stride, extent) in zip(strides + [innerStride], loops.extents + [count]) where extent > 1 {
      guard stride >= 0 else { return nil }
      within += stride % pitch * (extent - 1)
    }
    guard within < pitch else { return nil }
    func place(_ number: Int) -> Int { number / pitch * Pitch.padded(pitch) + number % pitch }
    var result = self
    (result.offset, result.innerStride, result.strides) = (
      place(offset), place(innerStride), strides.map(place)
    )
    return result
  }
}
