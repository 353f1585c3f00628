# SPDX-License-Identifier: Apache-2.0
"""Calls between two SigComp endpoints."""
