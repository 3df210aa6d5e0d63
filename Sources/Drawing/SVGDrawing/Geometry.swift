// SPDX-License-Identifier: Apache-2.0

/// A place in a drawing, in pixels to the right and downwards.
package struct Point: Hashable, Sendable {
  package var x: Double
  package var y: Double

  package init(_ x: Double, _ y: Double) {
    self.x = x
    self.y = y
  }
}

package struct Size: Hashable, Sendable {
  package var width: Double
  package var height: Double

  package init(_ width: Double, _ height: Double) {
    self.width = width
    self.height = height
  }
}

/// The area that a box covers.
package struct Rectangle: Hashable, Sendable {
  package var origin: Point
  package var size: Size

  package init(_ origin: Point, _ size: Size) {
    self.origin = origin
    self.size = size
  }

  package var left: Double { origin.x }
  package var right: Double { origin.x + size.width }
  package var top: Double { origin.y }
  package var bottom: Double { origin.y + size.height }
  package var middle: Double { origin.x + size.width / 2 }

  package func moved(by distance: Point) -> Rectangle { Rectangle(origin + distance, size) }
}

extension Point {
  package static func + (a: Point, b: Point) -> Point { Point(a.x + b.x, a.y + b.y) }
}
