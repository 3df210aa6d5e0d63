// SPDX-License-Identifier: Apache-2.0

// What a program needs to say what is rendered, and how: models and their settings, formats of samples, errors of files.
@_exported public import AudioIO
@_exported public import Legato
