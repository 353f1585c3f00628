# SPDX-License-Identifier: Apache-2.0
"""TRex: finding, starting and driving it, and reading its statistics."""
