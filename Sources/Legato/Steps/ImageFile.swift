// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import ImageFiles
internal import ModelFiles
internal import TensorFiles

/// A picture in a PNG or JPEG file, which goes into an input as a tensor.
///
///     let picture = try ImageFile(contentsOf: "cat.jpg")                   its size is known
///     let x = try picture.tensor(shape: [3, 128, 128], as: .imageNet)      decoded, resized, scaled
///     let scores = try runner.step(["picture": x])["scores"]!
///
/// It stands upright as its EXIF data says, and what is transparent lies over black. Its colours have 8 bits, as bright as
/// in sRGB. It has as many pixels as 8192 x 6144 at most, as a progressive JPEG 6144 x 4096; what is larger, cut off,
/// damaged, or in a printer's colours is refused.
public struct ImageFile: Sendable {
  /// The file as it was named.
  public let path: String
  private let file: PictureFile

  /// Pixels from left to right.
  public var width: Int { file.width }
  /// Pixels from top to bottom.
  public var height: Int { file.height }

  /// Reads a file, and what it says of its size; nothing is decoded yet.
  ///
  /// - Throws: `TensorError.unreadable`.
  public init(contentsOf path: String) throws(TensorError) {
    self.path = path
    file = try Self.reading(path) { reader throws(TensorFileError) in
      try PictureFile(reader, file: path)
    }
  }

  /// Whether a file begins as those of pictures do.
  ///
  /// - Throws: `TensorError.unreadable`.
  package static func describes(_ path: String) throws(TensorError) -> Bool {
    try reading(path) { reader throws(TensorFileError) in try PictureFile.isPicture(reader, file: path) }
  }

  /// The picture as numbers, stretched to a shape.
  ///
  /// - Parameters:
  ///   - shape: [channels, height, width] where the first of three axes is as long as there are channels, else
  ///     [height, width, channels]; of a grey one [height, width], too; an axis of 1 may be in front.
  ///   - form: Which channels, and how they are scaled.
  /// - Throws: `TensorError.unreadable` where the file is damaged, or the shape is none of such a picture.
  public func tensor(shape: [Int], as form: ImageForm) throws(TensorError) -> Tensor {
    do throws(TensorFileError) { return Tensor(try file.array(shape, form.conversion)) } catch {
      throw .unreadable(path: path, reason: error.reason)
    }
  }

  /// The shape that the picture gets for an input; axes that nothing says the length of get its own size.
  ///
  /// - Throws: `RequestError` where the input is none of such a picture.
  package func shape(
    for input: Model.Input, as form: ImageForm, extents: [String: Int]
  ) throws(RequestError) -> [Int] {
    let axes = input.shape.map { axis -> Int? in
      switch axis {
      case .number(let number): number
      case .symbol(let name): extents[name]
      }
    }
    let channels = form.conversion.format.channels
    guard let places = ImageLayout.axes(axes, channels: channels) else {
      let declared = zip(input.shape, axes).map { $1.map(String.init) ?? printable($0.description) }
      let taken =
        "[\(channels), height, width]"
        + (channels == 1 ? ", [height, width, 1] or [height, width]" : " or [height, width, \(channels)]")
      let axes = declared.joined(separator: ", ")
      throw RequestError(
        "the input \(quoted(input.name)) takes [\(axes)], and \(form.format.rawValue) pictures \(taken)")
    }
    return axes.enumerated().map { place, extent in
      extent ?? (place == places.height ? height : place == places.width ? width : 1)
    }
  }

  /// The shape that pictures get for an input: several are a batch where the first axis has no number yet or is that of
  /// one, and else as many steps, with one more axis in front.
  ///
  /// - Throws: `RequestError` where the input is none of such pictures, or of another number of them.
  package static func shape(
    of files: [ImageFile], for input: Model.Input, as form: ImageForm, extents: [String: Int]
  ) throws(RequestError) -> [Int] {
    let count = files.count
    let front = input.shape.first.flatMap { axis -> Int? in
      switch axis {
      case .number(let number): number
      case .symbol(let name): extents[name] ?? count
      }
    }
    // One picture, behind the axis of a batch; [28, 28, 1] is a grey one as it stands.
    var single = input
    single.shape = Array(input.shape.dropFirst())
    let whole = Result { () throws(RequestError) in
      try files[0].shape(for: input, as: form, extents: extents)
    }
    var isPicture = false
    if case .success = whole {
      isPicture = count == 1 && front == 1
      if case .number(2...)? = input.shape.first { isPicture = true }
    }
    if let front, !isPicture, single.shape.count >= 3 || form.format == .grey && single.shape.count == 2,
      let shape = try? files[0].shape(for: single, as: form, extents: extents)
    {
      guard front == count || front == 1 else {
        let others = form.format == .grey && front == 3 ? "; of one with 3 channels say RGB or BGR" : ""
        throw RequestError(
          "the input \(quoted(input.name)) takes a batch of \(front) pictures, and is given \(counted(count, "picture"))\(others)"
        )
      }
      if front == count {
        try checkSizes(of: files, for: single, extents)
        return [count] + shape
      }
    }
    let shape = try whole.get()
    try checkSizes(of: files, for: input, extents)
    return count == 1 ? shape : [count] + shape
  }

  /// Throws where pictures that are to lie side by side have several sizes, and only they say how large they become.
  private static func checkSizes(
    of files: [ImageFile], for input: Model.Input, _ extents: [String: Int]
  ) throws(RequestError) {
    let open = input.shape.compactMap { axis -> String? in
      if case .symbol(let name) = axis, extents[name] == nil { name } else { nil }
    }
    guard !open.isEmpty, let first = files.first,
      let other = files.first(where: { ($0.width, $0.height) != (first.width, first.height) })
    else { return }
    let axes = alternatives(open.map(quoted), "and") + (open.count == 1 ? " is" : " are")
    let sizes = "\(first.width) x \(first.height) and \(other.width) x \(other.height)"
    throw RequestError(
      "the input \(quoted(input.name)) is given pictures of several sizes, \(sizes), and nothing says how long \(axes)"
    )
  }

  /// Pictures side by side.
  ///
  /// - Parameter shape: as `shape(of:for:as:extents:)` has it.
  package static func tensor(
    of files: [ImageFile], shape: [Int], as form: ImageForm
  ) throws(TensorError) -> Tensor {
    guard files.count > 1 else { return try files[0].tensor(shape: shape, as: form) }
    var numbers: [Float] = []
    for file in files { numbers += try file.tensor(shape: Array(shape.dropFirst()), as: form).values }
    return Tensor(FloatArray(shape: shape, numbers: numbers))
  }

  private static func reading<Result>(
    _ path: String, _ body: (FileReader) throws(TensorFileError) -> Result
  ) throws(TensorError) -> Result {
    switch ModelFolder.open(path) {
    case .success(let reader):
      do throws(TensorFileError) { return try body(reader) } catch {
        throw .unreadable(path: path, reason: error.reason)
      }
    case .failure(let refusal): throw .unreadable(path: path, reason: refusal.message)
    }
  }
}
