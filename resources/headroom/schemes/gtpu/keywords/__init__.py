# SPDX-License-Identifier: Apache-2.0
"""Keywords about user planes."""
