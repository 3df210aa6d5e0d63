# SPDX-License-Identifier: Apache-2.0
"""What model files mean, in NumPy, written from the articles on the language and on its functions alone."""

from .render import Model

__all__ = ["Model"]
