# SPDX-License-Identifier: Apache-2.0
"""The schemes, one package each: its judge, its cases, its keywords and its part of the report."""
