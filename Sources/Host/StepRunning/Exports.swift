// SPDX-License-Identifier: Apache-2.0

// Models, their settings and arrays are part of the face.
@_exported public import Legato
