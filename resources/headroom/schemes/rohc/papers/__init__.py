# SPDX-License-Identifier: Apache-2.0
"""Publications about ROHC that are measured again."""
