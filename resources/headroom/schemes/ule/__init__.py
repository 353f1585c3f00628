# SPDX-License-Identifier: Apache-2.0
"""Unidirectional Lightweight Encapsulation, RFC 4326."""

NAME = "ule"
BBFRAMES = "BBFRAMEs"  # a packet format of captures
