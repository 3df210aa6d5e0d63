// SPDX-License-Identifier: Apache-2.0

import AudioIO
import Glibc
import TestEquipment
import Testing

@Suite("Audio files: places that paths mean")
struct PathPlaceTests {
  @Test("a path means a place exactly where both lead to the same")
  func meaning() throws {
    let folder = try TemporaryFolder()
    try folder.make("a.wav", [1])
    try folder.makeFolder("in")
    try folder.make("in/a.wav", [2])
    func link(_ target: String, _ name: String) { #expect(unsafe symlink(target, folder(name)) == 0) }
    link("a.wav", "to-a.wav")
    link("missing.wav", "to-missing.wav")
    link("in", "to-in")
    link("to-missing.wav", "in/missing.wav")
    #expect(unsafe Glibc.link(folder("a.wav"), folder("second.wav")) == 0)
    let names = [
      "a.wav", "./a.wav", "in/../a.wav", "in/a.wav", "to-a.wav", "to-in/a.wav", "second.wav", "missing.wav",
      "to-missing.wav", "in/missing.wav", "to-in/missing.wav", "in/../missing.wav", "other/missing.wav", "in",
      "in/", "in/.", "in/..", "to-in", "xmissing.wav", "other", "other/", "other/.",
    ]
    var pairs = 0
    for name in names {
      let place = PathPlace(folder(name))
      for other in names {
        let isSame = PathPlace(folder(other)) == place
        #expect(place.isMeant(by: folder(other)) == isSame, "\(name) by \(other)")
        pairs += isSame && name != other ? 1 : 0
      }
    }
    #expect(pairs > 20, "some paths mean the same place: \(pairs)")
  }
}
