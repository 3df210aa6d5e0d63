// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import CommandLineInterface
internal import FileRendering
internal import Legato
internal import LegatoFederated
internal import LegatoTraining
internal import Listening
internal import LiveHost

/// The failures of what the libraries throw.
extension Failure {
  /// The failure of a command that met an error.
  init(_ error: any Error) {
    switch error {
    case let failure as Failure: self = failure
    case let error as RequestError: self = Failure(error)
    case let error as RenderingError: self = Failure(error)
    case ModelError.code(let message): self = .failed(message)
    case ModelError.invalid(let problems): self = .faults(problems.map(\.description))
    case let error as ModelError: self = .faults([error.description])
    case let error as AudioFileError where error.problem == .brokenPipe: self = .brokenPipe
    case let error as AudioFileError:
      self = .faults(RenderingError.file(error).lines(calling: Self.name))
    case let error as DeviceError: self = Failure(error)
    case let error as LiveError: self = Failure(error)
    case let error as TensorError: self = .faults([error.description])
    case ListeningError.absent(let text): self = .absent([text])
    case ListeningError.data(let text): self = .faults([text])
    case TrainingError.file(let text): self = .faults([text])
    case let error as TrainingError: self = .failed(error.description)
    case FederatedError.unreachable(let text, let isOther):
      self = .absent([text + (isOther ? "" : "; start a SuperLink there, or say --wait")])
    case FederatedError.key(let text), FederatedError.memory(let text): self = .faults([text])
    case FederatedError.unsupported(let text): self = .usage(text)
    case let error as FederatedError: self = .failed(error.description)
    case _: self = .failed("\(error)")
    }
  }

  /// The failure of a request; its parts are called as the options are.
  init(_ error: RequestError) { self = .usage(error.text(calling: Self.name)) }

  /// The failure of files that are not rendered.
  private init(_ error: RenderingError) {
    let lines = error.lines(calling: Self.name)
    switch error {
    case .request(let error): self = Failure(error)
    case .model(let error): self = Failure(error)
    case .file(let error) where error.problem == .brokenPipe: self = .brokenPipe
    case .unfit(let sentence): self = .failed(sentence)
    case .context(let error): self = .failed(error.description)
    case .notFinite(let sentence): self = .unverified([sentence])
    case .file, .points, .standing: self = .faults(lines)
    }
  }

  /// Does what a part of the command line asks for.
  ///
  /// - Parameter place: what messages begin with.
  static func at<Result>(
    _ place: String, _ body: () throws(RequestError) -> Result
  ) throws(Failure) -> Result {
    do throws(RequestError) { return try body() } catch {
      throw .usage(place + error.text(calling: name))
    }
  }

  private init(_ error: LiveError) {
    let lines = error.lines(calling: Self.name)
    switch error {
    case .request: self = .usage(lines[0])
    case .model(let error): self = Failure(error)
    case .device(let error): self = Failure(error)
    case .file(let error): self = Failure(error)
    case .absent, .controllers: self = .absent(lines)
    case .unstable: self = .faults(lines)
    case .misfit, .system: self = .failed(lines[0])
    }
  }

  /// A part of a request, as the command line has it.
  static func name(_ part: RequestError.Name) -> String {
    let names: [RequestError.Name: String] = [
      .devices: "legato devices", .replacesExisting: "--force", .folder: "--output-dir",
      .isRecursive: "--recursive", .resumes: "--resume",
    ]
    return names[part] ?? "--" + part.rawValue
  }

  /// The failure of a device: a fault where the user can change it, absence where it cannot be had.
  private init(_ error: DeviceError) {
    let lines = [error.description]
    switch error.problem {
    case .cannot: self = .faults(lines)
    case .system where error.direction == nil: self = .faults(lines)
    case .unknown, .oneWay, .busy, .noPermission, .noServer, .lost, .silent, .system: self = .absent(lines)
    }
  }
}
