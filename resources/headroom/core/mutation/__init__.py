# SPDX-License-Identifier: Apache-2.0
"""Defects put into the reference on purpose, to check that the conformance suites detect each of them.

`catalogue` lists them, `hunt` runs the suites on one of them, `campaign` on many at a time.
"""
