# SPDX-License-Identifier: Apache-2.0
"""Publications about SigComp that are measured again."""
