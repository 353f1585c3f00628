# SPDX-License-Identifier: Apache-2.0
"""A capture packet by packet, as our own judges and as tshark read it, side by side: `./headroom decode`."""
