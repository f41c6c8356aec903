#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Looks at the records of a file that tap report --vmcore made of the rings of a session.

usage: dump_records.py log CONSOLE SESSION RECORDS FILE: what a panic has printed of the session are the
	last RECORDS records of the file, in the order of time
       dump_records.py pointers CONSOLE SESSION RECORDS: it has printed a pointer in each of the lines
       dump_records.py hidden CONSOLE SESSION RECORDS: in none of them, and each has the flag REDACTED
       dump_records.py sets FILE: the file has both sets of rings that flight_rig wrote
"""
import re
import struct
import sys

DATA, HEADER, CHUNK, SLOT = 5, 32, 16, 64
EVENT, GAP, NOTICE = 0, 1, 2
REDACTED = 1 << 3
POINTER = re.compile(r"\b0xff[0-9a-f]{14}\b")
LINE = re.compile(r"(\d+\.\d{9}) cpu (\d+)(?: lost (\d+) events| task (\d+)/(\d+)( notice)?"
                  r"(?: \S+:\S+| probe \d+)?(?: flags 0x([0-9a-f]+))?((?: (?:0x[0-9a-f]+|0))*))$")


def records(path):
    """(time, cpu, kind, flags, tgid, tid, words) of each record, in the order of time."""
    data = open(path, "rb").read()
    found, at = [], HEADER
    while at + CHUNK <= len(data):
        kind, _, length = struct.unpack_from("<IIQ", data, at)
        body = data[at + CHUNK:at + CHUNK + length]
        if kind == DATA and len(body) == length:
            cpu, _, pos = struct.unpack_from("<IIQ", body)
            slot = 16
            while slot + SLOT <= len(body):
                seq, time, _, nr, what, flags, tid, tgid = struct.unpack_from("<QQHBBIII", body, slot)
                if seq != pos + slot - 16 + SLOT:
                    sys.exit(f"{path}: no record at CPU {cpu}, position {pos + slot - 16}")
                words = list(struct.unpack_from("<4Q", body, slot + 32))
                for i in range(1, nr):
                    words += struct.unpack_from("<7Q", body, slot + i * SLOT + 8)
                found.append((time, cpu, what, flags, tgid, tid, words))
                slot += nr * SLOT
        at += CHUNK + length + -length % 8
    return sorted(found, key=lambda record: record[0])


def lines(path, session):
    """The lines behind the heading of the session: the number in it, and what they say."""
    found, wanted = [], None
    for line in open(path, errors="replace"):
        text = line.rstrip().partition("tapmod: ")[2]
        heading = re.match(r"session (\d+) of .* the last (\d+) records:$", text)
        if heading:
            if wanted is not None:
                break
            wanted = int(heading[2]) if int(heading[1]) == session else None
        elif text and wanted is not None:
            found.append(text)
    if wanted is None:
        sys.exit(f"the log has nothing of session {session}")
    return wanted, found


def same(text, record):
    _, cpu, kind, flags, tgid, tid, words = record
    line = LINE.match(text)
    if not line or int(line[2]) != cpu:
        return False
    if kind == GAP:
        return line[3] is not None and int(line[3]) == words[0]
    said = [int(word, 16) for word in (line[8] or "").split()]
    return (int(line[4] or -1), int(line[5] or -1), bool(line[6])) == (tgid, tid, kind == NOTICE) and \
        int(line[7] or "0", 16) == flags and said == words[:len(said)] and not any(words[len(said):])


def straight(pairs):
    """Whether nanoseconds are a straight line of ticks: so each time is that of its record."""
    (tick, begin), (last, end) = pairs[0], pairs[-1]
    return last > tick and all(
        abs((ns - begin) * (last - tick) - (at - tick) * (end - begin)) <= 2 * (last - tick) for at, ns in pairs)


def compare_log(console, session, wanted, path):
    number, found = lines(console, session)
    last = records(path)[-wanted:]
    times = [int(text.split()[0].replace(".", "")) for text in found]
    wrong = [i for i in range(min(len(last), len(found))) if not same(found[i], last[i])]
    print(f"session {session}: {len(found)} lines of {number}, {len(last)} records, {len(wrong)} differ")
    for i in wrong[:3]:
        print(f"line {i}: {found[i]}\nrecord: {last[i]}")
    if wrong or not len(last) == len(found) == number == wanted:
        return False
    return straight([(record[0], time) for record, time in zip(last, times)])


def has_pointers(console, session, wanted, hidden):
    _, found = lines(console, session)
    found = [line for line in found if LINE.match(line)]
    with_pointer = [line for line in found if POINTER.search(line)]
    flagged = [line for line in found if int(LINE.match(line)[7] or "0", 16) & REDACTED]
    print(f"session {session}: {len(found)} lines, {len(with_pointer)} with a pointer, {len(flagged)} redacted")
    print("\n".join(found[:2]))
    return len(found) == wanted and (len(with_pointer), len(flagged)) == ((0, wanted) if hidden else (wanted, 0))


def compare_sets(path):
    """As flight_rig: 200 calls of each CPU: the first set keeps the last 64. Then 12 in the second set."""
    found = records(path)
    cpus = sorted({record[1] for record in found})
    good = len(cpus) > 1
    for cpu in cpus:
        numbers = [record[6][0] for record in found if record[1] == cpu]
        wanted = [0x5000 + i * len(cpus) + cpu for i in range(200 - 64, 200 + 12)]
        print(f"CPU {cpu}: {len(numbers)} records, from {numbers[0]:#x} to {numbers[-1]:#x}")
        good = good and numbers == wanted
    return good


if sys.argv[1] == "log":
    sys.exit(not compare_log(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[5]))
if sys.argv[1] in ("pointers", "hidden"):
    sys.exit(not has_pointers(sys.argv[2], int(sys.argv[3]), int(sys.argv[4]), sys.argv[1] == "hidden"))
sys.exit(not compare_sets(sys.argv[2]))
