// SPDX-License-Identifier: Apache-2.0

// Models, their settings, arrays and errors of files are part of the face.
@_exported public import AudioIO
@_exported public import Legato
