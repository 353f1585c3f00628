# SPDX-License-Identifier: Apache-2.0
"""Searches for the highest rate at which something still holds."""
