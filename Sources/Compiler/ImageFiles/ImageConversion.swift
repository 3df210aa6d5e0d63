// SPDX-License-Identifier: Apache-2.0

internal import GraphIR

/// How a picture becomes numbers: which channels, how they are scaled, and by which rule it gets another size.
package struct ImageConversion: Hashable, Sendable {
  package enum Format: String, CaseIterable, Sendable {
    case rgb = "RGB"
    case bgr = "BGR"
    case grey = "grey"

    package var channels: Int { self == .grey ? 1 : 3 }
  }

  package enum Resize: String, CaseIterable, Sendable {
    case bilinear, area
  }

  /// The numbers that colours become, of which the darkest is 0 and the brightest 1.
  package enum Normalization: Hashable, Sendable {
    /// From one number to another one: [0,1] or [-1,1].
    case range(black: Double, white: Double)
    /// (colour - mean) / deviation, with a number of each for every channel.
    case standard(mean: [Double], deviation: [Double])
  }

  package let format: Format
  package let normalization: Normalization
  package let resize: Resize
  /// How much of the largest part in the middle that has the shape's proportions is taken, above 0 and at most 1; nil for
  /// all of the picture, stretched.
  package let crop: Double?

  /// Nil where there is not a mean and a deviation above 0 for each channel, a number is beyond floats, or nothing would be
  /// left of a picture.
  package init?(
    _ format: Format, _ normalization: Normalization = .unit, _ resize: Resize = .bilinear,
    crop: Double? = nil
  ) {
    (self.format, self.normalization, self.resize, self.crop) = (format, normalization, resize, crop)
    guard crop.map({ $0 > 0 && $0 <= 1 }) ?? true else { return nil }
    if case .standard(let mean, let deviation) = normalization {
      guard mean.count == format.channels, deviation.count == format.channels,
        deviation.allSatisfy({ $0 > 0 })
      else { return nil }
    }
    guard scales.allSatisfy({ $0.offset.isFinite && (255 * $0.factor + $0.offset).isFinite }) else {
      return nil
    }
  }

  /// A factor for each channel of 0 to 255, and the offset that is added then.
  var scales: [(factor: Float, offset: Float)] {
    switch normalization {
    case .range(let black, let white):
      Array(repeating: (Float((white - black) / 255), Float(black)), count: format.channels)
    case .standard(let mean, let deviation):
      zip(mean, deviation).map { (Float(1 / (255 * $1)), Float(-$0 / $1)) }
    }
  }
}

extension ImageConversion.Normalization {
  package static let unit = Self.range(black: 0, white: 1)

  /// Reads "[-1,1]", or "ImageNet", which is the mean and the deviation of that collection in the order of a format.
  package init?(_ text: String, for format: ImageConversion.Format) {
    if text.lowercased() == "imagenet" {
      let (mean, deviation) = ([0.485, 0.456, 0.406], [0.229, 0.224, 0.225])
      switch format {
      case .rgb: self = .standard(mean: mean, deviation: deviation)
      case .bgr: self = .standard(mean: mean.reversed(), deviation: deviation.reversed())
      case .grey: return nil
      }
      return
    }
    guard let ends = Self.numbers(text), ends.count == 2 else { return nil }
    self = .range(black: ends[0], white: ends[1])
  }

  /// The numbers of a list in brackets.
  fileprivate static func numbers(_ text: String) -> [Double]? {
    guard text.hasPrefix("["), text.hasSuffix("]") else { return nil }
    let numbers = text.dropFirst().dropLast().split(separator: ",", omittingEmptySubsequences: false).map {
      Double($0.filter { $0 != " " })
    }
    let known = numbers.compactMap { $0 }
    return known.count == numbers.count && known.allSatisfy(\.isFinite) ? known : nil
  }
}

extension ImageConversion {
  /// Reads what a command line says: "RGB", "BGR,[-1,1]", "RGB,ImageNet,area",
  /// "grey,mean=[0.13],deviation=[0.31]", "RGB,ImageNet,crop=0.875".
  ///
  /// Nil where it says something else.
  package init?(_ text: String) {
    let words = Self.words(text)
    guard let format = Format.allCases.first(where: { $0.rawValue.lowercased() == words[0].lowercased() })
    else {
      return nil
    }
    var (range, mean, deviation): (Normalization?, [Double]?, [Double]?)
    var (resize, crop): (Resize?, Double?)
    for word in words.dropFirst().map(String.init) {
      if let rule = Resize(rawValue: word), resize == nil {
        resize = rule
      } else if word == "crop", crop == nil {
        crop = 1
      } else if word.hasPrefix("crop="), crop == nil, let share = Double(word.dropFirst(5)) {
        crop = share
      } else if let read = Normalization(word, for: format), range == nil {
        range = read
      } else if word.hasPrefix("mean="), mean == nil,
        let read = Normalization.numbers(String(word.dropFirst(5)))
      {
        mean = read
      } else if word.hasPrefix("deviation="), deviation == nil,
        let read = Normalization.numbers(String(word.dropFirst(10)))
      {
        deviation = read
      } else {
        return nil
      }
    }
    switch (range, mean, deviation) {
    case (let range, nil, nil): self.init(format, range ?? .unit, resize ?? .bilinear, crop: crop)
    case (nil, let mean?, let deviation?):
      self.init(
        format, .standard(mean: mean, deviation: deviation), resize ?? .bilinear, crop: crop)
    case _: return nil
    }
  }
}

extension ImageConversion {
  /// The words of a form, between commas that are in no brackets.
  private static func words(_ text: String) -> [Substring] {
    var words: [Substring] = []
    var (start, depth) = (text.startIndex, 0)
    for place in text.indices {
      switch text[place] {
      case "[": depth += 1
      case "]": depth -= 1
      case "," where depth == 0:
        words.append(text[start..<place])
        start = text.index(after: place)
      case _: break
      }
    }
    words.append(text[start...])
    return words
  }

  /// The first word of a form that is none by itself; nil where each could be one.
  package static func wrongWord(in text: String) -> String? {
    let words = words(text)
    guard let format = Self(String(words[0]))?.format else { return String(words[0]) }
    func list(_ number: Int) -> String {
      "[" + Array(repeating: "\(number)", count: format.channels).joined(separator: ",") + "]"
    }
    return words.dropFirst().first { word in
      // One of these goes with the other.
      let other =
        word.hasPrefix("mean=")
        ? ",deviation=\(list(1))" : word.hasPrefix("deviation=") ? ",mean=\(list(0))" : ""
      return Self("\(words[0]),\(word)\(other)") == nil
    }.map(String.init)
  }
}

extension ImageConversion: CustomStringConvertible {
  /// As `init(_:)` reads it.
  package var description: String {
    func list(_ numbers: [Double]) -> String {
      "[" + numbers.map { written($0) }.joined(separator: ",") + "]"
    }
    let scale =
      switch normalization {
      case .range(let black, let white): list([black, white])
      case .standard(let mean, let deviation): "mean=\(list(mean)),deviation=\(list(deviation))"
      }
    let part = crop.map { $0 == 1 ? ",crop" : ",crop=\(written($0))" } ?? ""
    return "\(format.rawValue),\(scale)" + (resize == .bilinear ? "" : ",\(resize.rawValue)") + part
  }
}
