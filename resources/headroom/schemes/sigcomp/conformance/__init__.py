# SPDX-License-Identifier: Apache-2.0
"""Conformance cases for SigComp endpoints."""
