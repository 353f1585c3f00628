# SPDX-License-Identifier: Apache-2.0
"""Campaigns: a matrix of machines, builds and configurations, each cell a run of its own, on Dask distributed."""
