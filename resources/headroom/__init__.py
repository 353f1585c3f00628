# SPDX-License-Identifier: Apache-2.0
"""Headroom: a conformance and benchmarking harness for header compression."""

__version__ = "0.9.0"
