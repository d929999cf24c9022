"""What malloc takes for the steps of a trace: python3 malloc.py TRACE prints the bytes.

Idea: tensors of the CPU come from the C library, so what the plan is compared with is the C library itself. This
process makes the allocations and frees of a trace, and asks mallinfo2 after each allocation how much the library
has taken from the system, in its heap and in maps. The most during the last step counts, less what it had before
the trace and less what earlier steps keep, such as an optimizer's states, which no plan has either.

It writes nothing to that memory, so it costs addresses and no pages, however large the tensors are. It prints
nothing where there is no mallinfo2: it is glibc's.
"""

from __future__ import annotations

import ctypes
import sys


class _Info(ctypes.Structure):
    _fields_ = tuple((name, ctypes.c_size_t) for name in "arena ordblks smblks hblks hblkhd usmblks fsmblks uordblks fordblks keepcost".split())


def taken(path: str) -> int:
    """Returns the bytes that malloc takes for the last step of a trace."""
    libc = ctypes.CDLL(None)
    mallinfo, memalign, free = libc.mallinfo2, libc.posix_memalign, libc.free
    mallinfo.restype = _Info
    memalign.argtypes, free.argtypes = (ctypes.c_void_p, ctypes.c_size_t, ctypes.c_size_t), (ctypes.c_void_p,)

    events: list[tuple[int, int, int]] = []  # size and alignment, or the number of what is freed and 0
    steps, sizes, begins = 0, [], [0]
    with open(path, encoding="ascii") as f:
        for line in f:
            word = line.split()
            if word[0] == "a":
                events.append((int(word[1]), int(word[2]), steps))
                sizes.append((int(word[1]), steps))
            elif word[0] == "f":
                events.append((int(word[1]), 0, steps))
            elif word[0] == "b" and word[1] == "1":
                steps += 1
                begins.append(len(events))
    freed = {number for number, alignment, _ in events if not alignment}
    kept = sum(size for number, (size, step) in enumerate(sizes) if step < steps and number not in freed)
    addresses = (ctypes.c_void_p * (len(sizes) + 1))()
    at, width = ctypes.addressof(addresses), ctypes.sizeof(ctypes.c_void_p)
    info = mallinfo()
    before, most, number = info.arena + info.hblkhd, 0, 0
    for x, alignment, step in events:
        if alignment:
            if memalign(at + width * number, max(alignment, width), x):
                raise MemoryError
            number += 1
            if step == steps:
                info = mallinfo()
                most = max(most, info.arena + info.hblkhd - before)
        else:
            free(addresses[x])
    return most - kept


if __name__ == "__main__":
    try:
        print(taken(sys.argv[1]))
    except (AttributeError, OSError, MemoryError):
        pass
