# SPDX-License-Identifier: Apache-2.0
"""Conformance of user planes: the packets and messages that are sent, and the required outcome. Suites name the
cases."""
