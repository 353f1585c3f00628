# SPDX-License-Identifier: Apache-2.0
"""The interpretation intervals that RFC 3095, 5.7 and 5.11, and RFC 4815, 4.3, give to the fields: their p."""


def p_sn_rtp(width: int) -> int:
    """RFC 3095, 5.7: p = 1 up to 4 bits, 2^(bits-5) - 1 beyond."""
    return 1 if width <= 4 else (1 << width - 5) - 1


def p_sn_generated(width: int) -> int:
    """The offset p of the interpretation interval of a generated SN: -1 for every width (RFC 3095, 5.11: "The ROHC UDP
    profile always uses p = -1").
    """
    return -1


def p_ip_id(width: int) -> int:
    """The offset p of the interpretation interval of an IP-ID offset: 0 for every width (RFC 3095, 4.5.5 and 5.7)."""
    return 0


def p_ts(width: int) -> int:
    """RFC 3095, 5.7, and RFC 4815, 4.3: p = 2^(bits-2) - 1 without timer."""
    return (1 << width - 2) - 1 if width >= 2 else 0


def p_ts_timer(width: int) -> int:
    """RFC 3095, 4.5.4, and RFC 4815, 4.3: p = 2^(bits-1) - 1 with timer."""
    return (1 << width - 1) - 1 if width else 0
