# SPDX-License-Identifier: Apache-2.0
"""Independent judges of what was on the link."""
