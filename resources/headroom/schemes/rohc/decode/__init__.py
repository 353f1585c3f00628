# SPDX-License-Identifier: Apache-2.0
"""ROHC in captures: the judge's reading of link packets, and tshark's."""
