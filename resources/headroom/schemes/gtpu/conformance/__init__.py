# SPDX-License-Identifier: Apache-2.0
"""Conformance of user planes: what is sent, and what has to come of it. Suites name the cases."""
