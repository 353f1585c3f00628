# SPDX-License-Identifier: Apache-2.0
"""Report sections about SigComp."""
