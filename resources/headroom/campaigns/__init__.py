# SPDX-License-Identifier: Apache-2.0
"""Campaigns: a matrix of machines, builds and configurations; each cell is a run of its own. They use Dask
distributed.
"""
