# SPDX-License-Identifier: Apache-2.0
"""Tests of the judge's formats of profile 0x0006."""
