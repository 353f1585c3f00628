# SPDX-License-Identifier: Apache-2.0
"""GTP-U: 3GPP TS 29.281."""
