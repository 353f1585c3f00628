# SPDX-License-Identifier: Apache-2.0
"""Robot keywords about SigComp."""
