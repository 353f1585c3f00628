# SPDX-License-Identifier: Apache-2.0
"""Records, metrics, options, runs, the engine and its processes: the base of every scheme."""
