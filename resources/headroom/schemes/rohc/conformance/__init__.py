# SPDX-License-Identifier: Apache-2.0
"""Conformance and robustness: what is sent to an implementation, and what is made of what comes back.

Nothing here trusts what an adapter tells about its packets: judged is what was on the link and what came out of it.
"""
