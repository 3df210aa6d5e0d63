// SPDX-License-Identifier: Apache-2.0

import Foundation
import TestEquipment

/// The folder of models that are wrong, each with the messages that it gets.
let malformedModels = URL(filePath: #filePath).deletingLastPathComponent().appending(path: "malformed")

/// The bytes of a model that the package ships.
func bytes(ofModel name: String) throws -> [UInt8] {
  [UInt8](try Data(contentsOf: PackageFiles.models.appending(path: name)))
}
