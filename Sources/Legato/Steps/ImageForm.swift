// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
package import ImageFiles

/// How a picture becomes the numbers of an input.
///
///     ImageForm(.rgb)                                      0 is black, 1 is white
///     ImageForm(.bgr, black: -1, white: 1, resize: .area)
///     ImageForm.imageNet                                   (colour - mean) / deviation
///     try ImageForm("RGB,[-1,1]")                          as on the command line
///
/// A model says it of an input whose `"type"` is `"image"`: `Model.Input.image`.
public struct ImageForm: Hashable, Sendable, CustomStringConvertible {
  /// The channels, in their order.
  public enum Format: String, CaseIterable, Sendable {
    case rgb = "RGB"
    case bgr = "BGR"
    /// 0.299 of red, 0.587 of green and 0.114 of blue.
    case grey = "grey"
  }

  /// How many pixels become fewer; they become more bilinearly, with the centres of pixels at halves.
  public enum Resize: String, CaseIterable, Sendable {
    /// Weights fall linearly from the centre of a result to those of its neighbours, as in Pillow.
    case bilinear
    /// Each result is the mean of what it covers.
    case area
  }

  package let conversion: ImageConversion

  package init(_ conversion: ImageConversion) { self.conversion = conversion }

  /// Colours from one number to another one.
  ///
  /// Precondition: the numbers are finite, and a crop is above 0 and at most 1.
  ///
  /// - Parameters:
  ///   - format: the order of the colours.
  ///   - black: the number of what has nothing of a colour.
  ///   - white: the number of what has all of it.
  ///   - resize: how the picture comes to the size of the input.
  ///   - crop: how much of the largest part in the middle that has the shape's proportions is taken; nil for all of the
  ///     picture, stretched.
  public init(
    _ format: Format, black: Double = 0, white: Double = 1, resize: Resize = .bilinear,
    crop: Double? = nil
  ) {
    let form = ImageConversion(
      .init(rawValue: format.rawValue)!, .range(black: black, white: white),
      .init(rawValue: resize.rawValue)!, crop: crop)
    guard let form else { preconditionFailure("numbers that floats hold, and a crop above 0 and at most 1") }
    self.init(form)
  }

  /// Colours from 0 to 1, less a mean, over a deviation.
  ///
  /// Precondition: there is one of each for every channel, in the order of the format, deviations are above 0, and a crop
  /// is above 0 and at most 1.
  ///
  /// - Parameters:
  ///   - format: the order of the colours.
  ///   - mean: one number for each channel.
  ///   - deviation: one number for each channel.
  ///   - resize: how the picture comes to the size of the input.
  ///   - crop: how much of the largest part in the middle that has the shape's proportions is taken; nil for all of the
  ///     picture, stretched.
  public init(
    _ format: Format, mean: [Double], deviation: [Double], resize: Resize = .bilinear, crop: Double? = nil
  ) {
    let form = ImageConversion(
      .init(rawValue: format.rawValue)!, .standard(mean: mean, deviation: deviation),
      .init(rawValue: resize.rawValue)!, crop: crop)
    guard let form else { preconditionFailure("a mean and a deviation above 0 for each channel") }
    self.init(form)
  }

  /// Reads `FORMAT[,NORMALISATION][,RESIZE][,CROP]`, such as `RGB,[-1,1]`, `RGB,ImageNet,area`, `RGB,ImageNet,crop=0.875`
  /// or `grey,mean=[0.13],deviation=[0.31]`.
  ///
  /// - Throws: `RequestError` where it is another text.
  public init(_ text: String) throws(RequestError) {
    guard let conversion = ImageConversion(text) else {
      let scales = "[0,1], [-1,1] or other numbers for black and white, ImageNet, or mean=[…],deviation=[…]"
      let others = "bilinear or area, and crop or crop=0.875"
      let wrong = ImageConversion.wrongWord(in: text).map { "; \(quoted($0)) is none of these" } ?? ""
      throw RequestError(
        "a form is RGB, BGR or grey, then perhaps \(scales), \(others), such as RGB,[-1,1]\(wrong)")
    }
    self.init(conversion)
  }

  /// Red, green and blue with the mean and the deviation that networks trained on ImageNet are used to.
  public static let imageNet = ImageForm(
    .rgb, mean: [0.485, 0.456, 0.406], deviation: [0.229, 0.224, 0.225])

  public var format: Format { Format(rawValue: conversion.format.rawValue)! }
  public var resize: Resize { Resize(rawValue: conversion.resize.rawValue)! }
  /// How much of the largest part in the middle is taken; nil for all of the picture, stretched.
  public var crop: Double? { conversion.crop }

  /// As `init(_:)` reads it.
  public var description: String { conversion.description }
}

extension Model {
  /// How pictures become the numbers of inputs, by their names: as the model says, or as somebody does in its place.
  ///
  /// - Throws: `RequestError` where something is said of no input.
  package func imageForms(_ stated: [String: ImageForm]) throws(RequestError) -> [String: ImageForm] {
    if let name = stated.keys.sorted().first(where: { name in !inputs.contains { $0.name == name } }) {
      throw RequestError(no: "input", called: name, among: inputs.map(\.name))
    }
    let own = inputs.compactMap { input in input.image.map { (input.name, $0) } }
    return Dictionary(own) { first, _ in first }.merging(stated) { $1 }
  }
}
