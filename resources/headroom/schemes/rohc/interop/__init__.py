# SPDX-License-Identifier: Apache-2.0
"""The interop matrix of ROHC: every compressor with every decompressor, cell by cell, with the cause of failures."""
