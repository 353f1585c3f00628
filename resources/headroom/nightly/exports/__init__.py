# SPDX-License-Identifier: Apache-2.0
"""What a night found, in the formats of other programs."""
