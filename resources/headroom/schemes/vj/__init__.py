# SPDX-License-Identifier: Apache-2.0
"""TCP/IP header compression of RFC 1144."""
