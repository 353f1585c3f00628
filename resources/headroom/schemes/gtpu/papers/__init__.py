# SPDX-License-Identifier: Apache-2.0
"""Publications about user planes."""
