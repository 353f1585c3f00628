# SPDX-License-Identifier: Apache-2.0
"""Conformance and robustness: the packets and feedback that are sent to an implementation, and the judgement of its
output.

Nothing here trusts an adapter's reports about its packets: the link packets and the output are judged.
"""
