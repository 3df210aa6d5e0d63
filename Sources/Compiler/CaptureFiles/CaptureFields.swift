// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import JSONReading

/// The fields of an object of a capture, each with the path that messages call it by.
///
///     "config": { "layers": [{ "channels": 16 }] }        config.layers[0].channels
///
/// A field that is null counts as one that is missing.
struct CaptureFields {
  let path: String
  let place: Place
  private let members: [String: JSONMember]
  let json: JSONDocument

  init(_ value: JSONValue, _ path: String, of json: JSONDocument) throws(CaptureError) {
    guard case .object(let members) = value.content else {
      throw CaptureError(
        place: value.place,
        message: "\(path.isEmpty ? "a capture" : path) must be an object, this is \(value.kind)")
    }
    (self.path, place, self.json) = (path, value.place, json)
    self.members = Dictionary(members.map { ($0.key, $0) }) { first, _ in first }
  }

  /// The name of a field, with the path to it.
  func name(_ key: String) -> String { path.isEmpty ? key : "\(path).\(key)" }

  func has(_ key: String) -> Bool { value(key) != nil }

  func value(_ key: String) -> JSONValue? {
    guard let value = members[key]?.value else { return nil }
    if case .null = value.content { return nil }
    return value
  }

  func place(_ key: String) -> Place { members[key]?.value.place ?? place }

  func error(_ key: String, _ message: String) -> CaptureError {
    CaptureError(place: place(key), message: "\(name(key)) \(message)")
  }

  func missing(_ key: String) -> CaptureError {
    CaptureError(place: place, message: "\(name(key)) is missing")
  }

  private func wrong(_ key: String, _ value: JSONValue, mustBe: String) -> CaptureError {
    error(key, "must be \(mustBe), this is \(value.kind)")
  }

  /// Refuses each field that is not known: it could mean another sound.
  func check(_ known: [String]) throws(CaptureError) {
    let others = members.values.filter { !known.contains($0.key) }
    let first = others.min { ($0.keyPlace.line, $0.keyPlace.column) < ($1.keyPlace.line, $1.keyPlace.column) }
    guard let first else { return }
    let hint = nearestName(to: first.key, among: known).map { "; did you mean \(quoted($0))?" }
    throw CaptureError(
      place: first.keyPlace,
      message:
        "\(path.isEmpty ? "a capture" : path) has the field \(quoted(first.key)), whose meaning is not known"
        + (hint ?? ""))
  }

  /// The JSON of a field, as it stands in the file.
  func text(of key: String) -> String? { value(key).map(json.text) }

  // MARK: Single values

  func optionalNumber(_ key: String) throws(CaptureError) -> Double? {
    guard let value = value(key) else { return nil }
    guard case .number(let number) = value.content else { throw wrong(key, value, mustBe: "a number") }
    guard Float(number).isFinite else {
      throw error(key, "is \(written(number)), which is too large for a 32-bit float")
    }
    return number
  }

  func number(_ key: String) throws(CaptureError) -> Double {
    guard let number = try optionalNumber(key) else { throw missing(key) }
    return number
  }

  /// A whole number of a range; a field that is missing is the standard, where there is one.
  func integer(
    _ key: String, in range: ClosedRange<Int>, standard: Int? = nil
  ) throws(CaptureError) -> Int {
    guard let number = try optionalNumber(key) else {
      guard let standard else { throw missing(key) }
      return standard
    }
    return try integer(number, name(key), in: range, at: place(key))
  }

  func integer(
    _ number: Double, _ name: String, in range: ClosedRange<Int>, at place: @autoclosure () -> Place
  ) throws(CaptureError) -> Int {
    guard let whole = Int(exactly: number), range.contains(whole) else {
      throw CaptureError(
        place: place(),
        message: "\(name) must be a whole number from \(range.lowerBound) to \(range.upperBound), this is "
          + written(number))
    }
    return whole
  }

  func boolean(_ key: String, standard: Bool? = nil) throws(CaptureError) -> Bool {
    guard let value = value(key) else {
      guard let standard else { throw missing(key) }
      return standard
    }
    guard case .boolean(let flag) = value.content else { throw wrong(key, value, mustBe: "true or false") }
    return flag
  }

  func optionalText(_ key: String) throws(CaptureError) -> String? {
    guard let value = value(key) else { return nil }
    guard case .string(let text) = value.content else { throw wrong(key, value, mustBe: "a string") }
    return text.text
  }

  func text(_ key: String) throws(CaptureError) -> String {
    guard let text = try optionalText(key) else { throw missing(key) }
    return text
  }

  // MARK: Objects and lists

  func optionalFields(_ key: String) throws(CaptureError) -> CaptureFields? {
    guard let value = value(key) else { return nil }
    return try CaptureFields(value, name(key), of: json)
  }

  func fields(_ key: String) throws(CaptureError) -> CaptureFields {
    guard let fields = try optionalFields(key) else { throw missing(key) }
    return fields
  }

  /// The objects of a list.
  func list(_ key: String, of noun: String) throws(CaptureError) -> [CaptureFields] {
    guard let value = value(key) else { throw missing(key) }
    guard case .array(let elements) = value.content else {
      throw wrong(key, value, mustBe: "a list of objects")
    }
    guard !elements.isEmpty else { throw error(key, "is empty") }
    guard elements.count <= CaptureWhole.mostParts else {
      throw error(key, "has \(elements.count) \(noun); \(CaptureWhole.mostParts) are the most")
    }
    var list: [CaptureFields] = []
    for (index, element) in elements.enumerated() {
      list.append(try CaptureFields(element, "\(name(key))[\(index)]", of: json))
    }
    return list
  }

  /// The objects of an object, in the order of their names.
  func named() throws(CaptureError) -> [(key: String, fields: CaptureFields)] {
    var result: [(String, CaptureFields)] = []
    for (key, member) in members.sorted(by: { $0.key < $1.key }) {
      result.append((key, try CaptureFields(member.value, name(printable(key)), of: json)))
    }
    return result
  }

  /// A field of many values, or of one that all have: strings, or objects.
  enum Choice {
    case text(String)
    case fields(CaptureFields)
    case none
  }

  /// One for each of so many layers; of a field that is missing, none.
  ///
  /// - Parameter other: what says how many there are, as messages call it.
  func choices(
    _ key: String, count: Int, of other: String = "dilations"
  ) throws(CaptureError) -> [Choice]? {
    guard let value = value(key) else { return nil }
    guard case .array(let elements) = value.content else {
      return [Choice](repeating: try choice(value, name(key)), count: count)
    }
    guard elements.count == count else {
      throw error(
        key, "has \(elements.count) \(elements.count == 1 ? "entry" : "entries"), and \(other) \(count)")
    }
    var result: [Choice] = []
    for (index, element) in elements.enumerated() {
      result.append(try choice(element, "\(name(key))[\(index)]"))
    }
    return result
  }

  private func choice(_ value: JSONValue, _ name: String) throws(CaptureError) -> Choice {
    switch value.content {
    case .null: return .none
    case .string(let text): return .text(text.text)
    case .object: return .fields(try CaptureFields(value, name, of: json))
    case .boolean, .number, .array, .numbers:
      throw CaptureError(
        place: value.place, message: "\(name) must be a string or an object, this is \(value.kind)")
    }
  }

  // MARK: Numbers

  /// The numbers of an array, which may be empty.
  func numbers(_ key: String) throws(CaptureError) -> [Double] {
    guard let value = value(key) else { throw missing(key) }
    switch value.content {
    case .numbers(let numbers): return numbers
    case .array(let elements):
      guard let other = elements.firstIndex(where: { if case .number = $0.content { false } else { true } })
      else { return [] }
      throw CaptureError(
        place: elements[other].place,
        message: "\(name(key))[\(other)] must be a number, this is \(elements[other].kind)")
    case .null, .boolean, .number, .string, .object: throw wrong(key, value, mustBe: "an array of numbers")
    }
  }

  /// The whole numbers of an array; a single number stands for all of them where their count is known.
  func integers(
    _ key: String, in range: ClosedRange<Int>, count: Int? = nil
  ) throws(CaptureError) -> [Int] {
    if let count, let value = value(key), case .number(let number) = value.content {
      return [Int](repeating: try integer(number, name(key), in: range, at: value.place), count: count)
    }
    let numbers = try numbers(key)
    guard !numbers.isEmpty else { throw error(key, "is empty") }
    if let count, numbers.count != count {
      throw error(key, "has \(counted(numbers.count, "number")), and dilations \(count)")
    }
    var result: [Int] = []
    for (index, number) in numbers.enumerated() {
      result.append(
        try integer(number, "\(name(key))[\(index)]", in: range, at: place(ofElement: index, of: key)))
    }
    return result
  }

  /// The place of an element of an array of numbers.
  func place(ofElement index: Int, of key: String) -> Place {
    guard let value = value(key) else { return place }
    return switch value.content {
    case .array, .numbers: json.place(ofElement: index, in: value)
    case .null, .boolean, .number, .string, .object: value.place
    }
  }
}
