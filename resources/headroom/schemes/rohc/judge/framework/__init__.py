# SPDX-License-Identifier: Apache-2.0
"""The parts of a channel that all profiles share: RFC 5795."""
