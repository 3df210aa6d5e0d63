// SPDX-License-Identifier: Apache-2.0

/// Programs, contexts and parameters are part of Legato's face.
@_exported public import RealtimeCore
