# SPDX-License-Identifier: Apache-2.0
"""Capture files of any origin: reading pcap and pcapng, what a frame carries, writing pcap for other programs."""
