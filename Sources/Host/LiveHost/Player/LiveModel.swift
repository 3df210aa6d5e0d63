// SPDX-License-Identifier: Apache-2.0

public import Legato

/// A model that is to be played, with the way to read it again once its files have been edited.
public struct LiveModel: Sendable {
  /// The model as it was read first.
  public let model: Model
  /// The contents of the model's files when it was read.
  let contents: FileContents
  /// Nil where the model plays on as it is.
  let read: (@Sendable () throws -> Model)?

  /// A model that plays on as it is, whatever becomes of its files.
  public init(_ model: Model) {
    self.model = model
    contents = FileContents(of: [])
    read = nil
  }

  /// A model that is read again when one of its files has changed.
  ///
  /// - Parameter read: Reads the model; later on a thread of its own. What it throws then is told as
  ///   `LiveEvent.broken`, and what played plays on.
  /// - Throws: What `read` throws.
  public init<Failure: Error>(reading read: @escaping @Sendable () throws(Failure) -> Model) throws(Failure) {
    let moment = FileMoment()
    model = try read()
    contents = FileContents(of: model.files, readSince: moment)
    self.read = read
  }

  /// A model in a file, with others behind it, which is read again when one of the files has changed.
  ///
  /// - Parameters:
  ///   - path: The model's file.
  ///   - others: The files of models that follow in series, compiled as one with it.
  /// - Throws: `ModelError` where a file cannot be read, or the models are wrong or do not fit.
  public init(contentsOf path: String, then others: [String] = []) throws(ModelError) {
    try self.init { () throws(ModelError) in
      var model = try Model(contentsOf: path)
      for other in others { model = try model.then(Model(contentsOf: other)) }
      return model
    }
  }
}
