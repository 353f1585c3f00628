# SPDX-License-Identifier: Apache-2.0
"""Capture files of any origin: reading pcap and pcapng, the content of frames, and writing pcap for other programs."""
