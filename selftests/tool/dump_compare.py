#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compares the slots of two trace files that were not compressed, byte for byte.

usage: dump_compare.py LIVE DEAD MIN: all slots of LIVE, at least MIN, are in DEAD, by CPU and position.
"""
import struct
import sys

DATA, HEADER, CHUNK, SLOT = 5, 32, 16, 64


def slots(path):
    data = open(path, "rb").read()
    found, at = {}, HEADER
    while at + CHUNK <= len(data):
        kind, _, length = struct.unpack_from("<IIQ", data, at)
        body = data[at + CHUNK:at + CHUNK + length]
        if kind == DATA and len(body) == length:
            cpu, _, pos = struct.unpack_from("<IIQ", body)
            for i in range(16, len(body) - SLOT + 1, SLOT):
                found[cpu, pos + i - 16] = body[i:i + SLOT]
        at += CHUNK + length + -length % 8
    return found


live, dead = slots(sys.argv[1]), slots(sys.argv[2])
wrong = [at for at, slot in live.items() if dead.get(at) != slot]
print(f"{len(live)} slots of the live reader, {len(dead)} in the dump, {len(wrong)} differ")
if wrong:
    print("the first one: CPU %u, position %u" % min(wrong))
sys.exit(bool(wrong) or len(live) < int(sys.argv[3]))
