# SPDX-License-Identifier: Apache-2.0
"""Sockets that receive every frame of an interface, with the kernel's time. Source: packet(7), socket(7)."""

import socket
import struct

from headroom.core.errors import EnvironmentLacks

ETH_P_ALL = 3
SO_RCVBUFFORCE = 33  # beyond net.core.rmem_max, which root may exceed
SO_TIMESTAMPNS = 35  # also the type of the control message
SOL_PACKET, PACKET_STATISTICS = 263, 6  # packets, and the number of them for which the socket had no room
BUFFER = 64 << 20  # octets; the kernel counts about 2,300 for a packet of 1,400
LONGEST = 65536
_TIMESPEC = struct.Struct("=qq")


def packet_socket(interface: str, timestamps: bool = False) -> socket.socket:
    """A socket for all frames of an interface of this thread's namespace. Raises EnvironmentLacks without one."""
    try:
        opened = socket.socket(socket.AF_PACKET, socket.SOCK_RAW, socket.htons(ETH_P_ALL))
        opened.setsockopt(socket.SOL_SOCKET, SO_RCVBUFFORCE, BUFFER)
        if timestamps:
            opened.setsockopt(socket.SOL_SOCKET, SO_TIMESTAMPNS, 1)
        opened.bind((interface, 0))
        return opened
    except OSError as error:
        raise EnvironmentLacks(f"The interface {interface} cannot be listened on: {error.strerror}.") from error


def missed_by(opened: socket.socket) -> int:
    """The number of frames for which the socket had no room, since the last call."""
    return int(struct.unpack("II", opened.getsockopt(SOL_PACKET, PACKET_STATISTICS, 8))[1])


def timed_frame(opened: socket.socket) -> tuple[int, bytes] | None:
    """The next frame that the interface has received, and its time: nanoseconds of the real-time clock. None for a
    frame that it has sent. The socket has time stamps. Raises OSError as recvmsg(2) does.
    """
    frame, ancillary, _, address = opened.recvmsg(LONGEST, socket.CMSG_SPACE(_TIMESPEC.size))
    if address[2] == socket.PACKET_OUTGOING:
        return None
    seconds, nanoseconds = next(
        _TIMESPEC.unpack(data)
        for level, kind, data in ancillary
        if (level, kind) == (socket.SOL_SOCKET, SO_TIMESTAMPNS)
    )
    return seconds * 1_000_000_000 + nanoseconds, frame
