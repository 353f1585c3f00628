# SPDX-License-Identifier: Apache-2.0
"""Who interworks with whom: every compressor with every decompressor, cell by cell, and why where they do not."""
