# SPDX-License-Identifier: Apache-2.0
"""Robust Header Compression: RFC 3095, 3843, 4019, 4815 and 5795."""

NAME = "rohc"
