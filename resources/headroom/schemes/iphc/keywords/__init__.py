# SPDX-License-Identifier: Apache-2.0
"""Robot libraries about IPHC."""
