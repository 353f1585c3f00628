# SPDX-License-Identifier: Apache-2.0
"""The profiles of RFC 3095 and what is like them, Uncompressed among them."""
