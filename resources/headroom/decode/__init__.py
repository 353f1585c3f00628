# SPDX-License-Identifier: Apache-2.0
"""`./headroom decode`: reads a capture packet by packet, as our own judges and tshark read it, side by side."""
