# SPDX-License-Identifier: Apache-2.0
"""A run of suites: its settings, its folder, Robot Framework, and what to do when it is cut short."""
