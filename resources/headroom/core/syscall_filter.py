# SPDX-License-Identifier: Apache-2.0
"""A filter of system calls for code of others: seccomp(2).

It refuses, with EPERM, calls that reach what no namespace keeps apart, and parts of the kernel that are attacked most
and that no codec needs. `ptrace` stays, as LeakSanitizer needs it: a process reaches its own processes alone.
"""

import errno
import platform
import re
import struct
from functools import cache
from pathlib import Path

NATIVE = {"x86_64": 0xC000003E, "aarch64": 0xC00000B7}  # AUDIT_ARCH_…: linux/audit.h
I386 = 0x40000003  # programs of x86-64 may make calls of i386, too
X32 = 0x40000000  # bit of calls of a third kind on x86-64
# Names of refused calls, and their numbers on x86-64, aarch64 and i386, 0 if there is none. Source: asm/unistd.h.
REFUSED_NAMES = """
    add_key 248 217 286; request_key 249 218 287; keyctl 250 219 288; userfaultfd 323 282 374
    io_uring_setup 425 425 425; io_uring_enter 426 426 426; io_uring_register 427 427 427
    perf_event_open 298 241 336; kexec_load 246 104 283; kexec_file_load 320 294 0; open_by_handle_at 304 265 342
    mount 165 40 21; umount 0 0 22; umount2 166 39 52; pivot_root 155 41 217; open_tree 428 428 428
    move_mount 429 429 429; fsopen 430 430 430; fsconfig 431 431 431; fsmount 432 432 432; fspick 433 433 433
    mount_setattr 442 442 442; open_tree_attr 467 467 467; unshare 272 97 310; setns 308 268 346
    inotify_init 253 0 291; inotify_init1 294 26 332; fanotify_init 300 262 338; io_setup 206 0 245
    socketcall 0 0 102
"""  # the last one hides the family of a socket; those before it use up what all processes of the machine share
# Those that Landlock allows, and bubblewrap keeps from others: modes, owners, times and attributes of all files of the
# user; priorities of all processes of the user, such as ours; IPC, which stays when its maker has ended.
LANDLOCK_NAMES = """
    chmod 90 0 15; fchmod 91 52 94; fchmodat 268 53 306; fchmodat2 452 452 452; chown 92 0 182; fchown 93 55 95
    lchown 94 0 16; fchownat 260 54 298; chown32 0 0 212; fchown32 0 0 207; lchown32 0 0 198; utime 132 0 30
    utimes 235 0 271; futimesat 261 0 299; utimensat 280 88 320; utimensat_time64 0 412 412; setxattr 188 5 226
    lsetxattr 189 6 227; fsetxattr 190 7 228; setxattrat 463 463 463; removexattr 197 14 235; lremovexattr 198 15 236
    fremovexattr 199 16 237; removexattrat 466 466 466; file_setattr 469 469 469; setpriority 141 140 97
    ioprio_set 251 30 289; shmget 29 194 395; shmat 30 196 397; shmctl 31 195 396; semget 64 190 393; semctl 66 191 394
    semop 65 193 0; semtimedop 220 192 0; semtimedop_time64 0 420 420; msgget 68 186 399; msgctl 71 187 402
    msgsnd 69 189 400; msgrcv 70 188 401; mq_open 240 180 277; mq_unlink 241 181 278; ipc 0 0 117
"""
# The first argument is a process, 0 for the caller: under Landlock it could be ours. Ports' threads need them.
SCHEDULING_NAMES = """
    sched_setaffinity 203 122 241; sched_setscheduler 144 119 156; sched_setparam 142 118 154; sched_setattr 314 274 351
"""


def _numbers(names: str) -> dict[str, tuple[int, ...]]:
    return {
        name: tuple(map(int, numbers))
        for name, *numbers in (one.split() for one in re.split("[;\n]", names) if one.split())
    }


REFUSED, BY_LANDLOCK, SCHEDULING = map(_numbers, (REFUSED_NAMES, LANDLOCK_NAMES, SCHEDULING_NAMES))
BPF = (321, 280, 357)  # sockets of AF_XDP need it
FLOCK = (73, 32, 143)  # of files that can be read: other runs, and builds, would wait for them; DPDK needs it
FCNTL, FCNTL64 = (72, 25, 55), (0, 0, 221)
# Commands of fcntl. With a lease on a file that can be read, every process that opens it waits 45 s: F_SETLEASE.
LEASE = 1024
LOCKS = (6, 7, 13, 14, 37, 38)  # F_SETLK, F_SETLKW, those of i386 for large files, F_OFD_…: as FLOCK
PRLIMIT64 = (302, 261, 340)
CLONE, CLONE3, SOCKET = (56, 220, 120), (435,) * 3, (41, 198, 359)
NAMESPACES = 0x7E020000  # flags of clone: CLONE_NEW…, each in a word of 32 bits
# AF_INET, AF_INET6, AF_NETLINK, AF_PACKET, AF_XDP: for processes with ports. Others get no socket, and none gets one of
# AF_UNIX: those in the file system can be connected to where it can only be read, and Landlock leaves UDP alone, too.
FAMILIES = (2, 10, 16, 17, 44)
KERNEL_HAS_FILTERS = Path("/proc/sys/kernel/seccomp/actions_avail")
VULNERABILITY = Path("/sys/devices/system/cpu/vulnerabilities/spec_store_bypass")

# Instructions (linux/bpf_common.h, linux/filter.h), and places in struct seccomp_data.
LOAD, EQUAL, SET, RETURN = 0x20, 0x15, 0x45, 0x06
NUMBER, ARCHITECTURE, ARGUMENT, SECOND = 0, 4, 16, 24
ALLOW, ERROR = 0x7FFF0000, 0x00050000


@cache
def program(ports: bool = False, landlock: bool = False) -> bytes:
    """The filter; with `ports` for a process that opens interfaces, with `landlock` for one that Landlock alone keeps
    from others. Empty where it is not known how to filter, and where a filter would make all code of the process
    slower."""
    machine = platform.machine()
    if machine not in NATIVE or not KERNEL_HAS_FILTERS.exists() or _costs_speed():
        return b""
    column = list(NATIVE).index(machine)
    parts = [_of_architecture(NATIVE[machine], column, ports, landlock)]
    if machine == "x86_64":
        parts.append(_of_architecture(I386, 2, ports, landlock))
    return b"".join(parts) + _refuse()


def _costs_speed() -> bool:
    """True if the kernel turns off a part of speculation for processes with a filter, as those before 5.16 do."""
    try:
        return "seccomp" in VULNERABILITY.read_text(encoding="ascii")
    except OSError:
        return False


def _instruction(code: int, value: int, equal: int = 0, other: int = 0) -> bytes:
    return struct.pack("=HBBI", code, equal, other, value)


def _refuse(number: int = errno.EPERM) -> bytes:
    return _instruction(RETURN, ERROR | number)


def _if(code: int, value: int, then: bytes, otherwise: bytes = b"") -> bytes:
    """Goes through `then` if the loaded value is equal to another or has one of its bits, else through `otherwise`,
    one of which returns."""
    return _instruction(code, value, 0, len(then) // 8) + then + otherwise


def _of_architecture(architecture: int, column: int, ports: bool, landlock: bool) -> bytes:
    """The part about calls of one kind, which returns for each of them."""
    refused = (*REFUSED.values(), *(() if ports else (BPF, FLOCK)), *(BY_LANDLOCK.values() if landlock else ()))
    numbers = [call[column] for call in refused]
    body = [_instruction(LOAD, NUMBER)]
    if architecture == NATIVE["x86_64"]:
        body.append(_if(SET, X32, _refuse()))
    body += [_if(EQUAL, number, _refuse()) for number in numbers if number]
    body.append(_if(EQUAL, CLONE3[column], _refuse(errno.ENOSYS)))  # flags in memory: libraries then use clone
    allow = _instruction(RETURN, ALLOW)
    first = _instruction(LOAD, ARGUMENT)
    body.append(_if(EQUAL, CLONE[column], first + _if(SET, NAMESPACES, _refuse()) + allow))
    families = b"".join(_if(EQUAL, family, allow) for family in FAMILIES if ports)
    body.append(_if(EQUAL, SOCKET[column], first + families + _refuse()))
    commands = b"".join(_if(EQUAL, command, _refuse()) for command in (LEASE, *(() if ports else LOCKS)))
    second = _instruction(LOAD, SECOND)
    body += [_if(EQUAL, call[column], second + commands + allow) for call in (FCNTL, FCNTL64) if call[column]]
    # Limits of its own; under Landlock it could set those of the harness.
    for call in (PRLIMIT64, *(() if ports else SCHEDULING.values())):
        body.append(_if(EQUAL, call[column], first + _if(EQUAL, 0, allow) + _refuse()))
    return _instruction(LOAD, ARCHITECTURE) + _if(EQUAL, architecture, b"".join(body) + allow)
