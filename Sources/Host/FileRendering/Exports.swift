// SPDX-License-Identifier: Apache-2.0

// Models and their settings, formats of samples and errors of files are part of the face.
@_exported public import AudioIO
@_exported public import Legato
