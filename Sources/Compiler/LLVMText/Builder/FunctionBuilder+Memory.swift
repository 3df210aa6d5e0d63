// SPDX-License-Identifier: Apache-2.0

/// The position of a stage along the innermost axis.
package struct StagePosition {
  /// An i64: the first element of the first vector.
  var index: String
  /// How many vectors the stage has.
  var vectors: Int
  /// The lanes of the last vector that exist, where not all do.
  var mask: String?

  package init(index: String, vectors: Int, mask: String? = nil) {
    self.index = index
    self.vectors = vectors
    self.mask = mask
  }

  /// The mask of one of its vectors.
  func mask(of vector: Int) -> String? { vector == vectors - 1 ? mask : nil }
}

/// Loads and stores, addresses, broadcasts.
extension FunctionBuilder {
  /// An address so many bytes behind another one.
  package func address(_ base: String, bytes: String) -> String {
    guard bytes != "0" else { return base }
    let address = define("getelementptr i8, ptr \(base), i64 \(bytes)")
    if let bytes = Int(bytes) { storedVectors.place(address, bytes, behind: base) }
    return address
  }

  /// An address so many floats behind another one.
  func address(_ base: String, floats: String) -> String {
    guard floats != "0" else { return base }
    let address = define("getelementptr float, ptr \(base), i64 \(floats)")
    if let floats = Int(floats) { storedVectors.place(address, floats * 4, behind: base) }
    return address
  }

  package func loadScalar(_ address: String) -> String {
    storedVectors.load(bytes: 4, from: address) ?? define("load float, ptr \(address), align 4")
  }

  package func storeScalar(_ number: String, _ address: String) {
    write("store float \(number), ptr \(address), align 4")
    storedVectors.store(number, bytes: 4, to: address)
  }

  /// Brings the line of an address into the second cache, where there is one.
  func fetch(_ address: String) {
    declare("declare void @llvm.prefetch.p0(ptr, i32, i32, i32)")
    write("call void @llvm.prefetch.p0(ptr \(address), i32 0, i32 2, i32 1)")
  }

  /// One number in all lanes.
  func broadcast(_ scalar: String, _ element: ElementType = .float) -> Lanes {
    guard width > 1 else { return Lanes(names: [scalar], element: element, width: 1) }
    let type = Lanes.type(element, width: width)
    let first = define("insertelement \(type) poison, \(element.rawValue) \(scalar), i32 0")
    let all = define("shufflevector \(type) \(first), \(type) poison, <\(width) x i32> zeroinitializer")
    return Lanes(names: [all], element: element, width: width)
  }

  /// Contiguous floats from `base` on at a position.
  package func load(_ base: String, at position: StagePosition) -> Lanes {
    let type = Lanes.type(.float, width: width)
    let first = address(base, floats: position.index)
    var names: [String] = []
    forEachVector(position.vectors) { vector in
      let place = address(first, bytes: String(vector * width * 4))
      if let mask = position.mask(of: vector) {
        let (suffix, bits) = (Self.suffix(.float, width: width), Lanes.type(.i1, width: width))
        declare("declare \(type) @llvm.masked.load.\(suffix).p0(ptr, i32, \(bits), \(type))")
        names.append(
          define(
            "call \(type) @llvm.masked.load.\(suffix).p0(ptr \(place), i32 4, \(bits) \(mask), "
              + "\(type) zeroinitializer)"))
      } else {
        names.append(loadVector(place))
      }
    }
    return Lanes(names: names, element: .float, width: width)
  }

  private func loadVector(_ place: String) -> String {
    storedVectors.load(bytes: width * 4, from: place)
      ?? define("load \(Lanes.type(.float, width: width)), ptr \(place), align 4")
  }

  /// Floats from `base` on that are so many apart: each vector is picked from as many vectors.
  ///
  ///     0 . 2 .   . 4 . 6      two apart: the second vector ends where the numbers do, so that nothing behind is read
  package func load(_ base: String, apart: Int, at position: StagePosition) -> Lanes {
    let last = (apart - 1) * (width - 1)
    var names: [String] = []
    forEachVector(position.vectors) { vector in
      let first = address(base, floats: String(vector * width * apart))
      if let mask = position.mask(of: vector) {
        let places = (0..<width).map { "i64 \($0 * apart)" }.joined(separator: ", ")
        names.append(
          gather(define("getelementptr float, ptr \(first), <\(width) x i64> <\(places)>"), mask))
        return
      }
      func part(_ begin: Int) -> Lanes {
        Lanes(names: [loadVector(address(first, floats: String(begin)))], element: .float, width: width)
      }
      var picked = part(0)
      for number in 1..<apart {
        let begin = min(number * width, last)
        picked = shuffled(
          picked, part(begin),
          (0..<width).map { lane in
            let place = lane * apart
            if place < number * width { return number == 1 ? place : lane }
            return place < begin + width ? width + place - begin : lane
          })
      }
      names.append(picked[0])
    }
    return Lanes(names: names, element: .float, width: width)
  }

  /// Floats from places of their own, so many behind `base`.
  func gather(_ base: String, _ places: Lanes, vectors: Int) -> Lanes {
    var names: [String] = []
    forEachVector(vectors) { vector in
      let address = define("getelementptr float, ptr \(base), \(places.type) \(places[vector])")
      names.append(width > 1 ? gather(address, "splat (i1 true)") : loadScalar(address))
    }
    return Lanes(names: names, element: .float, width: width)
  }

  /// Floats from a vector of addresses; where the mask says no, 0.
  private func gather(_ addresses: String, _ mask: String) -> String {
    let (type, bits) = (Lanes.type(.float, width: width), Lanes.type(.i1, width: width))
    let (suffix, pointers) = (Self.suffix(.float, width: width), "<\(width) x ptr>")
    declare("declare \(type) @llvm.masked.gather.\(suffix).v\(width)p0(\(pointers), i32, \(bits), \(type))")
    return define(
      "call \(type) @llvm.masked.gather.\(suffix).v\(width)p0(\(pointers) \(addresses), i32 4, "
        + "\(bits) \(mask), \(type) zeroinitializer)")
  }

  /// A number, the next one, and so on, in all lanes of so many vectors.
  func consecutive(from first: String, vectors: Int) -> Lanes {
    let all = broadcast(first, .i32)[0]
    let type = Lanes.type(.i32, width: width)
    var names: [String] = []
    forEachVector(vectors) { vector in
      let numbers = (0..<width).map { vector * width + $0 }
      let text = width == 1 ? "\(numbers[0])" : "<\(numbers.map { "i32 \($0)" }.joined(separator: ", "))>"
      names.append(define("add \(type) \(all), \(text)"))
    }
    return Lanes(names: names, element: .i32, width: width)
  }

  package func store(_ value: Lanes, _ base: String, at position: StagePosition) {
    precondition(!isStaggered, "a store among staggered vectors")
    let type = value.type
    let first = address(base, floats: position.index)
    forEachVector(position.vectors) { vector in
      let place = address(first, bytes: String(vector * width * 4))
      if let mask = position.mask(of: vector) {
        let (suffix, bits) = (Self.suffix(.float, width: width), Lanes.type(.i1, width: width))
        declare("declare void @llvm.masked.store.\(suffix).p0(\(type), ptr, i32, \(bits))")
        write(
          "call void @llvm.masked.store.\(suffix).p0(\(type) \(value[vector]), ptr \(place), i32 4, "
            + "\(bits) \(mask))")
        storedVectors.forget(bytes: width * 4, at: place)
      } else {
        write("store \(type) \(value[vector]), ptr \(place), align 4")
        storedVectors.store(value[vector], bytes: width * 4, to: place)
      }
    }
  }

  /// The mask of the lanes before the end when `left` elements are left.
  func mask(left: String) -> String {
    let type = Lanes.type(.i32, width: width)
    declare("declare i64 @llvm.umin.i64(i64, i64)")
    let capped = define("call i64 @llvm.umin.i64(i64 \(left), i64 \(width))")
    let short = define("trunc i64 \(capped) to i32")
    let all = broadcast(short, .i32)[0]
    let lanes = (0..<width).map { "i32 \($0)" }.joined(separator: ", ")
    return define("icmp ugt \(type) \(all), <\(lanes)>")
  }

  /// The mask of the first lanes.
  func mask(first count: Int) -> String {
    "<\((0..<width).map { "i1 \($0 < count)" }.joined(separator: ", "))>"
  }

  /// Runs code over all positions of an axis: full stages, then a smaller one where the number of positions is a
  /// constant, or else one vector at a time; the last vector masked.
  ///
  /// - Parameter count: an i64, 0 allowed where it is not a constant.
  func stages(count: String, vectors: Int, _ body: (StagePosition) -> Void) {
    let lanes = width
    let whole: String
    let stage = vectors * lanes
    if let constant = Int(count) {
      whole = String(constant / stage * stage)
      if constant >= stage { stageLoop(to: whole, stage, vectors, body) }
      let (rest, last) = (constant % stage, constant % lanes)
      guard rest > 0 else { return }
      let mask = last > 0 ? mask(first: last) : nil
      return body(StagePosition(index: whole, vectors: (rest + lanes - 1) / lanes, mask: mask))
    }
    whole = define("and i64 \(count), \(-stage)")
    when(define("icmp ne i64 \(whole), 0")) { stageLoop(to: whole, stage, vectors, body) }
    when(define("icmp ult i64 \(whole), \(count)")) { rest(from: whole, to: count, body) }
  }

  /// The same in whole vectors, the last of which may go beyond the end.
  ///
  /// - Parameter count: an i64 above 0.
  func wholeVectors(count: String, vectors: Int, _ body: (StagePosition) -> Void) {
    guard vectors > 1 else { return stageLoop(to: count, width, 1, body) }
    let stage = vectors * width
    let whole = define("and i64 \(count), \(-stage)")
    when(define("icmp ne i64 \(whole), 0")) { stageLoop(to: whole, stage, vectors, body) }
    when(define("icmp ult i64 \(whole), \(count)")) {
      loop(from: whole, to: count, step: width) { index, _ in
        body(StagePosition(index: index, vectors: 1, mask: nil))
        return []
      }
    }
  }

  /// Runs code over all positions of an axis, a vector at a time and the last one masked, with values carried around.
  ///
  /// - Parameter count: an i64 above 0.
  func vectors(
    count: String, carrying initial: [Lanes], _ body: (StagePosition, [Lanes]) -> [Lanes]
  ) -> [Lanes] {
    let whole = width == 1 ? count : define("and i64 \(count), \(-width)")
    func inWholeVectors() -> [Lanes] {
      loop(to: whole, step: width, carrying: initial) { index, carried in
        body(StagePosition(index: index, vectors: 1, mask: nil), carried)
      }
    }
    guard width > 1 else { return inWholeVectors() }
    let carried = when(define("icmp ne i64 \(whole), 0"), carrying: initial, inWholeVectors)
    return when(define("icmp ult i64 \(whole), \(count)"), carrying: carried) {
      let mask = mask(left: define("sub i64 \(count), \(whole)"))
      return body(StagePosition(index: whole, vectors: 1, mask: mask), carried)
    }
  }

  private func stageLoop(to limit: String, _ stage: Int, _ vectors: Int, _ body: (StagePosition) -> Void) {
    loop(to: limit, step: stage) { index, _ in
      body(StagePosition(index: index, vectors: vectors, mask: nil))
      return []
    }
  }

  private func rest(from start: String, to limit: String, _ body: (StagePosition) -> Void) {
    loop(from: start, to: limit, step: width) { index, _ in
      let mask = width > 1 ? mask(left: define("sub i64 \(limit), \(index)")) : nil
      body(StagePosition(index: index, vectors: 1, mask: mask))
      return []
    }
  }
}
