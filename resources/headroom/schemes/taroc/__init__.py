# SPDX-License-Identifier: Apache-2.0
"""TCP-aware robust header compression, by the TAROC draft."""
