#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Makes of an emulator's dump what /proc/vmcore would be: an ELF file with the kernel's VMCOREINFO.

usage: dump_kexec.py DUMP OUT
"""
import struct
import sys

dump, out = sys.argv[1:]
PAGE, DIRECT, LOAD, NOTE = 4096, 0xffff888000000000, 1, 4


def vmcoreinfo(f, loads):
    """The note, which the kernel keeps at the start of a page."""
    for at, _, length in loads:
        for page in range(at, at + length, PAGE):
            f.seek(page)
            head = f.read(34)
            if head[12:22] == b"VMCOREINFO" and head[24:34] == b"OSRELEASE=":
                f.seek(page)
                return f.read(24 + (struct.unpack_from("<I", head, 4)[0] + 3) // 4 * 4)
    sys.exit(dump + ": no VMCOREINFO")


with open(dump, "rb") as f:
    head = bytearray(f.read(64))
    offset, = struct.unpack_from("<Q", head, 32)
    count, = struct.unpack_from("<H", head, 56)
    if count == 0xffff:
        f.seek(struct.unpack_from("<Q", head, 40)[0])
        count, = struct.unpack_from("<I", f.read(64), 44)
    f.seek(offset)
    parts = [struct.unpack("<IIQQQQQQ", f.read(56)) for _ in range(count)]
    loads = [(at, where, length) for kind, _, at, _, where, length, _, _ in parts if kind == LOAD]
    note = vmcoreinfo(f, loads)
    # The notes of the CPUs come first.
    for kind, _, place, _, _, length, _, _ in parts:
        if kind == NOTE:
            f.seek(place)
            note = f.read(length) + note
    with open(out, "wb") as o:
        struct.pack_into("<Q", head, 32, 64)
        struct.pack_into("<Q", head, 40, 0)
        struct.pack_into("<HHHHHH", head, 52, 64, 56, 1 + len(loads), 0, 0, 0)
        o.write(head)
        end = 2 * PAGE + (len(note) + PAGE - 1) // PAGE * PAGE
        o.write(struct.pack("<IIQQQQQQ", NOTE, 0, PAGE, 0, 0, len(note), len(note), 0))
        for _, where, length in loads:
            o.write(struct.pack("<IIQQQQQQ", LOAD, 7, end, DIRECT + where, where, length, length, 0))
            end += length
        o.seek(PAGE)
        o.write(note)
        end = 2 * PAGE + (len(note) + PAGE - 1) // PAGE * PAGE
        o.seek(end)
        for at, _, length in loads:
            f.seek(at)
            o.write(f.read(length))
