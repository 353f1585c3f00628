# SPDX-License-Identifier: Apache-2.0
"""Defects put into the reference on purpose, to see that the conformance suites find each of them.

`catalogue` reads which there are, `hunt` lets the suites look for one, `campaign` for many at a time.
"""
