# SPDX-License-Identifier: Apache-2.0
"""TRex: found, started, driven and read."""
