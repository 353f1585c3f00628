# SPDX-License-Identifier: Apache-2.0
"""An independent reading of RFC 2507: it shares no code with any compressor or decompressor, and is written to be
checked against the specification, not to be fast."""
