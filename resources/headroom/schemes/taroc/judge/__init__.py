# SPDX-License-Identifier: Apache-2.0
"""An independent reading of the TAROC draft: it shares no code with any compressor or decompressor, and is written to
be checked against the draft, not to be fast."""
