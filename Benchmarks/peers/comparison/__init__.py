# SPDX-License-Identifier: Apache-2.0
"""Legato beside its peers: what `compare` runs."""
