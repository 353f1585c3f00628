# SPDX-License-Identifier: Apache-2.0
"""Measurements: jobs for the engine, and figures from its documents."""
