// SPDX-License-Identifier: Apache-2.0

import GraphIR
import ImageFiles
import JSONReading
import ModelFiles
import TestEquipment
import Testing

/// The schema for editors and the decoder know the same keys, limits and words.
@Suite struct SchemaTests {
  private let schema: JSONValue

  init() throws {
    let document = try JSONDocument(try bytes(ofModel: "legato.schema.json"))
    #expect(document.duplicates.isEmpty)
    schema = document.root
  }

  private func value(_ path: String...) throws -> JSONValue { try value(path) }

  private func value(_ path: [String]) throws -> JSONValue {
    var value = schema
    for key in path {
      guard case .object(let members) = value.content else { throw Missing(key: key) }
      guard let member = members.first(where: { $0.key == key }) else { throw Missing(key: key) }
      value = member.value
    }
    return value
  }

  private struct Missing: Error { let key: String }

  private func keys(_ value: JSONValue) -> [String] {
    guard case .object(let members) = value.content else { return [] }
    return members.map(\.key)
  }

  private func words(_ value: JSONValue) -> [String] {
    guard case .array(let elements) = value.content else { return [] }
    return elements.compactMap { element in
      if case .string(let string) = element.content { string.text } else { nil }
    }
  }

  private func number(_ value: JSONValue) -> Int? {
    if case .number(let number) = value.content { Int(number) } else { nil }
  }

  @Test func itDescribesExactlyTheKeysOfTheDecoder() throws {
    #expect(keys(try value("properties")) == ModelDocument.Keys.model)
    #expect(
      keys(try value("properties", "functions", "additionalProperties", "properties"))
        == ModelDocument.Keys.function)
    #expect(keys(try value("$defs", "input", "properties")) == ModelDocument.Keys.input)
    #expect(keys(try value("$defs", "output", "properties")) == ModelDocument.Keys.output)
    #expect(keys(try value("$defs", "parameter", "properties")) == ModelDocument.Keys.parameter)
    #expect(keys(try value("properties", "levels", "properties")) == ModelDocument.Keys.levels)
    let train = ["properties", "train", "properties"]
    #expect(keys(try value(train)) == ModelDocument.Keys.training)
    typealias Training = ModelDocument.Training
    let rules = train + ["optimizer", "properties"]
    #expect(keys(try value(rules)) == Training.Optimizer.Rule.allCases.map(\.rawValue))
    #expect(keys(try value(rules + ["sgd", "properties"])) == ModelDocument.Keys.optimizer(.sgd))
    #expect(keys(try value("$defs", "adamW", "properties")) == ModelDocument.Keys.optimizer(.adamW))
    let schedules = ["$defs", "schedule", "properties"]
    #expect(keys(try value(schedules)) == Training.Schedule.Kind.allCases.map(\.rawValue))
    #expect(keys(try value(schedules + ["steps", "properties"])) == ModelDocument.Keys.schedule(.steps))
    #expect(keys(try value("$defs", "falling", "properties")) == ModelDocument.Keys.schedule(.linear))
    for count in Training.Count.allCases {
      #expect(number(try value(train + [count.rawValue, "minimum"])) == count.range.lowerBound)
      #expect(number(try value(train + [count.rawValue, "maximum"])) == count.range.upperBound)
    }
    let listen = ["properties", "listen", "properties"]
    #expect(keys(try value(listen)) == ModelDocument.Keys.listening)
    for count in ModelDocument.Listening.Count.allCases {
      #expect(number(try value(listen + [count.rawValue, "maximum"])) == ModelDocument.Listening.most)
    }
    #expect(number(try value(listen + ["columns", "maxItems"])) == ModelDocument.Listening.mostColumns)
  }

  @Test func itKnowsTheSameWords() throws {
    #expect(words(try value("properties", "clock", "enum")) == ModelDocument.Clock.allCases.map(\.rawValue))
    #expect(
      words(try value("$defs", "parameter", "properties", "scale", "enum"))
        == ModelDocument.Parameter.Scale.allCases.map(\.rawValue))
    let input = ["$defs", "input", "properties"]
    #expect(words(try value(input + ["format", "enum"])) == ImageConversion.Format.allCases.map(\.rawValue))
    #expect(words(try value(input + ["resize", "enum"])) == ImageConversion.Resize.allCases.map(\.rawValue))
    #expect(Set(words(try value("$defs", "definedName", "not", "enum"))) == Function.reservedNames)
  }

  @Test func itKnowsTheSameLimits() throws {
    #expect(number(try value("properties", "legato", "const")) == ModelDocument.supportedVersion)
    #expect(number(try value("properties", "graph", "maxProperties")) == ModelDocument.maximumGraphEntries)
    #expect(number(try value("properties", "inputs", "maxProperties")) == ModelDocument.maximumInputs)
    #expect(number(try value("properties", "parameters", "maxProperties")) == ModelDocument.maximumParameters)
    #expect(number(try value("properties", "weights", "maxProperties")) == ModelDocument.maximumWeights)
    #expect(number(try value("properties", "outputs", "maxItems")) == ModelDocument.maximumOutputs)
    #expect(number(try value("properties", "presets", "maxProperties")) == ModelDocument.maximumPresets)
    #expect(number(try value("properties", "functions", "maxProperties")) == ModelDocument.maximumFunctions)
    #expect(number(try value("$defs", "name", "maxLength")) == ModelDocument.maximumNameLength)
    #expect(
      number(try value("properties", "sampleRate", "minimum")) == Limits.sampleRates.lowerBound)
    #expect(
      number(try value("properties", "sampleRate", "maximum")) == Limits.sampleRates.upperBound)
    #expect(number(try value("properties", "prewarm", "maximum")) == Limits.prewarm)
    let midi = ["$defs", "parameter", "properties", "midi"]
    #expect(number(try value(midi + ["minimum"])) == ModelDocument.midiControllers.lowerBound)
    #expect(number(try value(midi + ["maximum"])) == ModelDocument.midiControllers.upperBound)
    #expect(
      number(try value("$defs", "input", "properties", "shape", "maxItems"))
        == ModelDocument.maximumDimensions)
  }
}
