// SPDX-License-Identifier: Apache-2.0

internal import Glibc
internal import RealtimeWatch

/// Breaks each rule of the audio thread on purpose, beside an execute that is watched, and sees whether it is found.
@safe final class SelfTest {
  /// An offence of an audio thread, by the name under which it is found.
  enum Offence: String {
    case allocation = "heap allocation"
    case free
    case lock
    case systemCall = "system call"
    case pageFault = "page fault"
  }

  /// One rule.
  struct Rule {
    let name: String
    /// The offence that must be found; nil where none must be.
    let offence: Offence?
    let breach: () -> Void
  }

  /// Memory from the heap, to be given back.
  private let blocks = UnsafeMutablePointer<UnsafeMutableRawPointer?>.allocate(capacity: 16)
  private var blockCount = 8
  private let mutex = UnsafeMutablePointer<pthread_mutex_t>.allocate(capacity: 1)
  private let pageBytes = Int(sysconf(Int32(_SC_PAGESIZE)))
  /// Pages that nobody has touched, one for each attempt.
  private var page: UnsafeMutableRawPointer

  init() throws {
    let pages = unsafe mmap(
      nil, pageBytes * 64, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0)
    guard let pages = unsafe pages, unsafe pages != MAP_FAILED else {
      throw BenchError("there is no memory for the self-test")
    }
    unsafe madvise(pages, pageBytes * 64, MADV_NOHUGEPAGE)
    unsafe page = pages
    for index in 0..<blockCount { unsafe (blocks + index).initialize(to: malloc(64)) }
    unsafe pthread_mutex_init(mutex, nil)
  }

  deinit {
    for index in 0..<blockCount { unsafe free(blocks[index]) }
    unsafe blocks.deallocate()
    unsafe pthread_mutex_destroy(mutex)
    unsafe mutex.deallocate()
  }

  /// - Returns: whether each rule bites, and nothing is found where none is broken.
  func run() throws -> Bool {
    let instrument = try Instrument(Models.bitcrusher(channels: 2), frames: Subject.usualSize)
    var isWhole = true
    for rule in rules {
      if rule.offence == .systemCall, !RealtimeWatch.seesSystemCalls {
        print("\(rule.name): system calls are not counted here, as this kernel cannot dispatch them to us")
        continue
      }
      let found = WatchedExecutes(instrument, and: rule.breach).offences
      let isRight =
        rule.offence.map { found.count == 1 && found[0].contains($0.rawValue) } ?? found.isEmpty
      let said = found.isEmpty ? "nothing is found" : "found: " + found.joined(separator: ", ")
      print("\(rule.name): \(said)\(isRight ? "" : "; THIS IS WRONG")")
      if !isRight { isWhole = false }
    }
    return isWhole
  }

  private var rules: [Rule] {
    [
      Rule(name: "an execute", offence: nil) {},
      Rule(name: "an execute that takes memory from the heap", offence: .allocation) {
        unsafe (self.blocks + self.blockCount).initialize(to: malloc(64))
        self.blockCount += 1
      },
      Rule(name: "an execute that gives memory back", offence: .free) {
        self.blockCount -= 1
        unsafe free(self.blocks[self.blockCount])
      },
      Rule(name: "an execute that locks", offence: .lock) {
        unsafe pthread_mutex_lock(self.mutex)
        unsafe pthread_mutex_unlock(self.mutex)
      },
      Rule(name: "an execute that calls the kernel", offence: .systemCall) { _ = getppid() },
      Rule(name: "an execute that touches a page for the first time", offence: .pageFault) {
        unsafe self.page.storeBytes(of: 1, as: UInt8.self)
        unsafe self.page += self.pageBytes
      },
    ]
  }
}
