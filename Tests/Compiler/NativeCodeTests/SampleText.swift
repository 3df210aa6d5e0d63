// SPDX-License-Identifier: Apache-2.0

/// LLVM IR with the entry point's signature, written by hand.
enum SampleText {
  /// Adds a constant to each float of the first row; sixteen at a time where so many are left.
  static func adder(_ constant: Int = 1, attributes: String = "nounwind") -> String {
    """
    define void @execute(ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 %frames) #0 {
    entry:
      %source = load ptr, ptr %inputs
      %destination = load ptr, ptr %outputs
      %some = icmp sge i64 %frames, 16
      br i1 %some, label %wide, label %check
    wide:
      %i = phi i64 [ 0, %entry ], [ %next, %wide ]
      %from = getelementptr float, ptr %source, i64 %i
      %to = getelementptr float, ptr %destination, i64 %i
      %x = load <16 x float>, ptr %from, align 4
      %y = fadd <16 x float> %x, splat (float \(constant).0)
      store <16 x float> %y, ptr %to, align 4
      %next = add i64 %i, 16
      %after = add i64 %next, 16
      %more = icmp sle i64 %after, %frames
      br i1 %more, label %wide, label %check
    check:
      %begin = phi i64 [ 0, %entry ], [ %next, %wide ]
      %rest = icmp slt i64 %begin, %frames
      br i1 %rest, label %narrow, label %done
    narrow:
      %k = phi i64 [ %begin, %check ], [ %k.next, %narrow ]
      %k.from = getelementptr float, ptr %source, i64 %k
      %k.to = getelementptr float, ptr %destination, i64 %k
      %k.x = load float, ptr %k.from
      %k.y = fadd float %k.x, \(constant).0
      store float %k.y, ptr %k.to
      %k.next = add i64 %k, 1
      %k.more = icmp slt i64 %k.next, %frames
      br i1 %k.more, label %narrow, label %done
    done:
      ret void
    }
    attributes #0 = { \(attributes) }
    """
  }

  /// Gives the first float of the first row to these lines as `%x`, and stores the `%y` they make.
  static func onOneFloat(_ lines: String, declarations: String = "") -> String {
    """
    \(declarations)
    define void @execute(ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 %frames) nounwind {
      %source = load ptr, ptr %inputs
      %destination = load ptr, ptr %outputs
      %x = load float, ptr %source
      \(lines)
      store float %y, ptr %destination
      ret void
    }
    """
  }

  /// Keeps so many floats on the stack, by volatile stores that cannot be optimised away.
  static func stackUser(floats: Int) -> String {
    """
    define void @execute(ptr %inputs, ptr %outputs, ptr %workspace, ptr %weights, i64 %frames) #0 {
      %room = alloca [\(floats) x float], align 16
      %last = getelementptr float, ptr %room, i64 \(floats - 1)
      store volatile float 1.0, ptr %room
      store volatile float 2.0, ptr %last
      ret void
    }
    define void @frugal() #0 {
      ret void
    }
    attributes #0 = { nounwind noredzone }
    """
  }
}
