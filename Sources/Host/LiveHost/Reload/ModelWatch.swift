// SPDX-License-Identifier: Apache-2.0

internal import AudioIO
internal import LiveEngine
internal import Synchronization

/// The news of a model whose files have changed.
enum ModelNews<Made: Sendable>: Sendable {
  case made(Made)
  /// The error for which nothing could be made.
  case broken(LiveError)
  /// The model's own file is gone.
  case missing
  /// The files say again what was made last.
  case restored
}

/// Makes something of a model's files whenever they have changed, on a thread of its own.
///
///     ModelReading ─▶ news ─▶ take()
///     its thread              any other one, when `descriptor` becomes readable
final class ModelWatch<Made: Sendable> {
  /// The state that both threads share; the watch itself may go while its thread is at work.
  private final class Board: Sendable {
    let news = Mutex<[ModelNews<Made>]>([])
    let told: Waker
    let stop: Waker

    init(told: Waker, stop: Waker) { (self.told, self.stop) = (told, stop) }

    func tell(_ one: ModelNews<Made>) {
      news.withLock { $0.append(one) }
      told.wake()
    }
  }

  private let board: Board

  /// Begins to watch; nil where the system does not let it.
  ///
  /// - Parameters:
  ///   - files: what was made already was made of them, the model's own first.
  ///   - contents: what stood in them.
  ///   - make: makes something of the files, and tells which they were.
  init?(_ files: [String], _ contents: FileContents, _ make: @escaping ModelReading<Made>.Make) {
    // The one that is used is made by the thread to which it belongs; this one shows whether it can be.
    guard FileContents.isOrdinary(files[0]), FileWatch() != nil, let told = Waker(), let stop = Waker() else {
      return nil
    }
    let board = Board(told: told, stop: stop)
    let code = DetachedThread.begin {
      guard let watch = FileWatch() else { return }
      var reading = ModelReading(files, contents, watch, stop: board.stop.descriptor, make)
      while let news = reading.next() { board.tell(news) }
    }
    guard code == 0 else { return nil }
    self.board = board
  }

  // A model that is being made may take long, and nobody wants it any more: it is not waited for.
  deinit { board.stop.wake() }

  /// Becomes readable when there are news.
  var descriptor: Int32 { board.told.descriptor }

  /// Takes the news, the oldest first.
  func take() -> [ModelNews<Made>] {
    board.told.rest()
    return board.news.withLock { news in
      defer { news = [] }
      return news
    }
  }
}
