// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ImageFiles
import JSONReading

extension ModelDocumentDecoder {
  private enum PortType: String, CaseIterable {
    case image
  }

  /// What an input says of pictures: { "shape": [3, 128, 128], "type": "image", "normalize": "[0,1]" }.
  ///
  /// - Parameters:
  ///   - shape: of the input; nil where it could not be decoded.
  ///   - what: the input.
  ///   - place: of its shape.
  mutating func decodeImage(
    _ fields: Fields, _ shape: [ModelDocument.ShapeEntry]?, _ what: String, at place: Place
  ) -> ImageConversion? {
    let type: PortType? = decodeChoice(fields["type"], "'type'")
    guard type == .image else {
      let key = ["format", "normalize", "resize", "crop"].first { fields[$0] != nil }
      if let key, let value = fields[key], fields["type"] == nil {
        report("'\(key)' is of an image; write \"type\": \"image\" beside it", at: value.place)
      }
      return nil
    }
    let format: ImageConversion.Format? =
      fields["format"] == nil ? .rgb : decodeChoice(fields["format"], "'format'")
    let resize: ImageConversion.Resize? =
      fields["resize"] == nil ? .bilinear : decodeChoice(fields["resize"], "'resize'")
    guard let format else { return nil }
    if let shape { check(shape, format, what, at: place) }
    guard let normalization = decodeNormalization(fields["normalize"], format), let resize else { return nil }
    var crop: Double?
    if let value = fields["crop"] {
      crop = decodeNumber(value, "'crop'")
      guard let share = crop, share > 0, share <= 1 else {
        if crop != nil {
          report(
            "'crop' must be above 0 and at most 1, the share of the largest middle part", at: value.place)
        }
        return nil
      }
    }
    guard let conversion = ImageConversion(format, normalization, resize, crop: crop) else {
      report(
        "'normalize' takes numbers that floats of 32 bits hold, and deviations above 0",
        at: fields["normalize"]?.place ?? place)
      return nil
    }
    return conversion
  }

  private mutating func check(
    _ shape: [ModelDocument.ShapeEntry], _ format: ImageConversion.Format, _ what: String, at place: Place
  ) {
    let axes = shape.map { entry -> Int? in
      if case .number(let number) = entry.extent { number } else { nil }
    }
    guard !shape.contains(where: { $0.extent == .symbol("frames") }) else {
      return report("\(what) is an image, which has no 'frames'", at: place)
    }
    guard ImageLayout.axes(axes, channels: format.channels) == nil else { return }
    report(
      format == .grey
        ? "\(what) is a grey image, and takes [height, width] or [1, height, width], or the like with 1 in front"
        : "\(what) is an image of \(format.rawValue), and takes [3, height, width] or [height, width, 3], or the like "
          + "with 1 in front", at: place)
  }

  private mutating func decodeNormalization(
    _ value: JSONValue?, _ format: ImageConversion.Format
  ) -> ImageConversion.Normalization? {
    guard let value else { return .unit }
    switch value.content {
    case .string(let text):
      if let normalization = ImageConversion.Normalization(text.text, for: format) { return normalization }
      report(
        "'normalize' must be two numbers for black and white, such as \"[0,1]\" or \"[-1,1]\""
          + (format == .grey ? "" : ", or \"ImageNet\"")
          + ", or \(Self.example(format)), this is \(quoted(text.text))",
        at: value.place)
      return nil
    case .object:
      guard let fields = decodeFields(value, "'normalize'", keys: ModelDocument.Keys.normalization) else {
        return nil
      }
      guard let mean = decodeChannels(fields["mean"], "'mean'", format, in: value),
        let deviation = decodeChannels(fields["deviation"], "'deviation'", format, in: value)
      else { return nil }
      return .standard(mean: mean, deviation: deviation)
    case .null, .boolean, .number, .array, .numbers:
      wrongType(value, "'normalize'", mustBe: "a string such as \"[0,1]\", or \(Self.example(format))")
      return nil
    }
  }

  private static func example(_ format: ImageConversion.Format) -> String {
    let list = Array(repeating: "0.5", count: format.channels).joined(separator: ", ")
    return "{ \"mean\": [\(list)], \"deviation\": [\(list)] }"
  }

  /// A number for each channel, in the order of the format.
  private mutating func decodeChannels(
    _ value: JSONValue?, _ what: String, _ format: ImageConversion.Format, in object: JSONValue
  ) -> [Double]? {
    guard let value else {
      report("'normalize' has no \(what); write \(Self.example(format))", at: object.place)
      return nil
    }
    guard case .numbers(let numbers) = value.content, numbers.count == format.channels else {
      report(
        "\(what) must be a list of \(counted(format.channels, "number")), one for each channel of \(format.rawValue)",
        at: value.place)
      return nil
    }
    return Array(numbers)
  }
}
