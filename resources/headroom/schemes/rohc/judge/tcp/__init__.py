# SPDX-License-Identifier: Apache-2.0
"""The formats of profile 0x0006, field by field: RFC 6846, 8.2, as data (formats.yaml), and what reads and writes by
them."""
