# SPDX-License-Identifier: Apache-2.0
"""Signalling compression: RFC 3320, 3485, 4077, 4896, 5049 and 5112."""
