# SPDX-License-Identifier: Apache-2.0
"""A run of suites: its settings, its folder, Robot Framework, and its continuation after an interruption."""
