# SPDX-License-Identifier: Apache-2.0
"""What a channel has whatever its profiles: RFC 5795."""
