# SPDX-License-Identifier: Apache-2.0
"""What model files mean, in NumPy, written from the articles on the language and on its functions alone."""

from .render import Setting, render

__all__ = ["Setting", "render"]
