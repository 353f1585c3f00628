# SPDX-License-Identifier: Apache-2.0
"""Papers about ULE."""
