// SPDX-License-Identifier: Apache-2.0

/// Models, programs and parameters, and what the engine tells of the sound, are part of LiveHost's face.
@_exported public import Legato
@_exported public import LiveEngine
