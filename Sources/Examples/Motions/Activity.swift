// SPDX-License-Identifier: Apache-2.0
// swift-format-ignore-file

// Made of activity.json by
//
//     legato interface activity.json -o Activity.swift
//
// It is made anew where the model's ports change; what is edited here is gone then.

public import Foundation
public import Legato

/// Says of five seconds of a watch's motion what its wearer does; the recurrent layer goes on from window to
/// window.
///
///     var activity = try Activity(from: .main)
///     let output = try activity.prediction(motion: motion)
///
/// It has the memory for a step and what is remembered; one thread at a time uses it.
public struct Activity: ~Copyable, Sendable {
  /// The extents of the axes of `motion`.
  public static let motionShape = [50, 6]
  /// The extents of the axes of `probabilities`.
  public static let probabilitiesShape = [4]
  /// The extents of the axes of `hiddenOut`.
  public static let hiddenOutShape = [200]
  /// The extents of the axes of `cellOut`.
  public static let cellOutShape = [200]

  private var runner: StepRunner

  /// Takes the model of the resources of a bundle.
  ///
  /// - Throws: `ModelError` where it cannot be read, has become another one, or code cannot be made.
  public init(from bundle: Bundle) throws(ModelError) {
    let folder = bundle.resourcePath ?? bundle.bundlePath
    try self.init(contentsOf: folder + "/activity.json")
  }

  /// Takes the model in a file.
  ///
  /// - Throws: `ModelError` where it cannot be read, has become another one, or code cannot be made.
  public init(contentsOf path: String) throws(ModelError) {
    let model = try Model(contentsOf: path)
    try model.expect(labels: Label.allCases.map(\.rawValue), of: "probabilities", for: "Activity")
    let compilation = try model.compilation()
    try compilation.expect(
      inputs: ["motion": [50, 6], "hiddenIn": [200], "cellIn": [200]],
      outputs: ["probabilities": [4], "hiddenOut": [200], "cellOut": [200]],
      for: "Activity")
    runner = try StepRunner(compilation, carrying: ["hiddenIn": "hiddenOut", "cellIn": "cellOut"])
  }

  /// Runs one step.
  ///
  /// - Parameter motion: Acceleration and rotation along three axes of a watch. Shape [50, 6].
  /// - Throws: where something has another shape; no step has been run then.
  public mutating func prediction(motion: Tensor) throws(RequestError) -> Output {
    try set(motion: motion)
    step()
    return output
  }

  /// Runs one step, of arrays whose last axis runs fastest.
  ///
  /// - Parameter motion: Acceleration and rotation along three axes of a watch. Shape [50, 6].
  /// - Throws: where something has another shape; no step has been run then.
  public mutating func prediction(motion: [Float]) throws(RequestError) -> Output {
    try set(motion: motion)
    step()
    return output
  }

  /// Sets what goes into steps from now on. Acceleration and rotation along three axes of a watch. Shape [50,
  /// 6].
  public mutating func set(motion: Tensor) throws(RequestError) {
    try runner.setInput(0, to: motion)
  }

  /// Sets what goes into steps from now on. Acceleration and rotation along three axes of a watch. Shape [50,
  /// 6].
  public mutating func set(motion: [Float]) throws(RequestError) {
    try runner.setInput(0, to: motion)
  }

  /// Lets what goes into steps be written where it is, the last axis fastest, without allocating.
  /// Acceleration and rotation along three axes of a watch. Shape [50, 6].
  public mutating func withMotion(_ body: (inout MutableSpan<Float>) -> Void) {
    runner.withInput(0, body)
  }

  /// Runs one step of what was set; it neither allocates nor waits.
  public mutating func step() {
    runner.execute()
  }

  /// The outputs of the last step.
  public var output: Output {
    Output(
      probabilities: runner.output(0),
      hiddenOut: runner.output(1),
      cellOut: runner.output(2))
  }

  /// The outputs of a step.
  public struct Output: Sendable {
    /// Shape [4].
    public let probabilities: Tensor
    /// Shape [200].
    public let hiddenOut: Tensor
    /// Shape [200].
    public let cellOut: Tensor

    /// The label of the largest number.
    public var label: Label {
      Label.largest(probabilities.values[...])
    }

    /// The number of a label.
    public func probabilities(of label: Label) -> Float {
      probabilities.values[label.position]
    }
  }

  /// Gives what the last step made where it is, the last axis fastest, without allocating. Shape [4].
  public func withProbabilities<Result>(_ body: (borrowing Span<Float>) -> Result) -> Result {
    runner.withOutput(0, body)
  }

  /// The label of the largest number that the last step made.
  public var label: Label {
    Label.all[runner.largest(ofOutput: 0)]
  }

  /// Gives what the last step made where it is, the last axis fastest, without allocating. Shape [200].
  public func withHiddenOut<Result>(_ body: (borrowing Span<Float>) -> Result) -> Result {
    runner.withOutput(1, body)
  }

  /// Gives what the last step made where it is, the last axis fastest, without allocating. Shape [200].
  public func withCellOut<Result>(_ body: (borrowing Span<Float>) -> Result) -> Result {
    runner.withOutput(2, body)
  }

  /// Begins anew; parameters keep their values.
  public mutating func reset() {
    runner.reset()
  }

  /// The state at this moment, as tensors with names.
  public var state: State {
    State(
      hiddenIn: runner.state(named: "hiddenIn")!,
      cellIn: runner.state(named: "cellIn")!)
  }

  /// Lets something else be remembered, such as what was kept in a file.
  ///
  /// - Throws: where a tensor has another shape, and while delays begin with numbers of their own; nothing
  ///   has changed then.
  public mutating func restore(_ state: State) throws(RequestError) {
    try runner.setStates([
      "hiddenIn": state.hiddenIn,
      "cellIn": state.cellIn,
    ])
  }

  /// All of it at this moment, parameters and the position among steps included.
  public func snapshot() -> StepRunner.Snapshot {
    runner.snapshot()
  }

  /// Goes back to a moment of this one; what follows has the same bits.
  public mutating func restore(_ snapshot: StepRunner.Snapshot) {
    runner.restore(snapshot)
  }

  /// The values remembered from step to step.
  public struct State: Sendable {
    /// The numbers of `hiddenOut` in the last step, and 0 before the first one. Shape [200].
    public var hiddenIn: Tensor
    /// The numbers of `cellOut` in the last step, and 0 before the first one. Shape [200].
    public var cellIn: Tensor

    public init(hiddenIn: Tensor, cellIn: Tensor) {
      self.hiddenIn = hiddenIn
      self.cellIn = cellIn
    }
  }

  /// The labels of the numbers of `probabilities`, in their order; the raw values are as the model has them.
  public enum Label: String, CaseIterable, Sendable {
    case standing
    case running
    case walking
    case badminton

    fileprivate static let all = allCases

    /// The position of its number.
    public var position: Int {
      Self.all.firstIndex(of: self)!
    }

    fileprivate static func largest(_ numbers: ArraySlice<Float>) -> Self {
      var (best, place) = (-Float.infinity, 0)
      for (position, number) in numbers.enumerated() where number > best {
        (best, place) = (number, position)
      }
      return all[place]
    }
  }
}
