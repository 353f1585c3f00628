# SPDX-License-Identifier: Apache-2.0
"""IP header compression of RFC 2507."""
