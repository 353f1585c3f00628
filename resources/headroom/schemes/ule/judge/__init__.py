# SPDX-License-Identifier: Apache-2.0
"""An independent receiver of RFC 4326, written from its text alone."""
