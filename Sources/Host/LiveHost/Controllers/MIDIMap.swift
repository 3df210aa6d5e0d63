// SPDX-License-Identifier: Apache-2.0

internal import GraphIR
internal import Legato

/// The map from controllers to the parameters that they turn: as the model says, as a request says, and as was learnt;
/// who comes later, wins.
///
///     "midi": 21 at a parameter       21=resolution       1:21=resolution
///
/// One controller may turn several parameters. A controller of one channel goes before the same one of any.
struct MIDIMap: Equatable {
  private struct Link: Equatable {
    let controller: MIDIController
    let name: String
  }

  private var names: [MIDIController: [String]] = [:]
  private var said: [Link] = []
  private var learnt: [Link] = []

  /// The map that a model declares.
  init(_ model: Model) { follow(model) }

  /// Takes another model's map, and keeps what the user said and what was learnt.
  mutating func follow(_ model: Model) {
    names = [:]
    let decided = Set(said.map(\.name))
    for parameter in model.parameters where !decided.contains(parameter.name) {
      guard let number = parameter.midi else { continue }
      names[MIDIController(channel: nil, number: number), default: []].append(parameter.name)
    }
    for link in said where names[link.controller]?.contains(link.name) != true {
      names[link.controller, default: []].append(link.name)
    }
    for link in learnt { apply(link) }
  }

  /// Adds the user's assignments, such as `21=resolution`, which replace those of the model.
  ///
  /// - Parameter texts: what is said, in order.
  mutating func add(_ texts: [String], of model: Model) throws(RequestError) {
    for text in texts {
      guard let equals = text.firstIndex(of: "="), let controller = MIDIController(String(text[..<equals]))
      else {
        let name = model.parameters.first?.name ?? "gain"
        throw RequestError(
          """
          \(.map) takes CONTROLLER=NAME, with a controller from 0 to 119, or one of a channel from 1 to 16, such as \
          21=\(name) or 1:21=\(name), not \(quoted(text))
          """)
      }
      let address = String(text[text.index(after: equals)...])
      do throws(RequestError) {
        said.append(Link(controller: controller, name: try model.parameter(meantBy: address).name))
      } catch {
        throw RequestError("\(.map) \(printable(text)): \(error.message)")
      }
    }
    follow(model)
  }

  /// The parameters that a controller turns.
  func names(channel: Int, number: Int) -> [String] {
    names[MIDIController(channel: channel, number: number)]
      ?? names[MIDIController(channel: nil, number: number)] ?? []
  }

  /// Assigns a controller to one parameter, and the parameter to this controller only.
  mutating func learn(_ name: String, channel: Int, number: Int) {
    let link = Link(controller: MIDIController(channel: channel, number: number), name: name)
    learnt.removeAll { $0.name == name || $0.controller == link.controller }
    learnt.append(link)
    apply(link)
  }

  private mutating func apply(_ link: Link) {
    names = names.mapValues { $0.filter { $0 != link.name } }.filter { !$0.value.isEmpty }
    names[MIDIController(channel: nil, number: link.controller.number)] = nil
    names[link.controller] = [link.name]
  }

  /// The controllers of each parameter, as the view shows them.
  var labels: [String: String] {
    var labels: [String: String] = [:]
    let sorted = names.sorted { ($0.key.number, $0.key.channel ?? 0) < ($1.key.number, $1.key.channel ?? 0) }
    for (controller, names) in sorted {
      for name in names { labels[name] = (labels[name].map { $0 + ", " } ?? "") + controller.label }
    }
    return labels
  }
}
