#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compares the table of speedscope's sandwich view with the stacks of the profile.

usage: speedscope_compare.py DOM STACKS folded|pprof

DOM is the page as the browser has it; STACKS are lines of tap flame --folded, or what pprof -raw
prints. The table shows the rows that fit in the window.
"""
import collections
import html
import re
import sys


def shown(dom):
    """Returns the rows: name -> (total, self)."""
    rows = {}
    for row in re.findall(r"<tr[^>]*>(.*?)</tr>", dom, re.S):
        cells = [html.unescape(re.sub(r"<[^>]*>", "", cell))
                 for cell in re.findall(r"<td[^>]*>(.*?)</td>", row, re.S)]
        if len(cells) == 3:
            total, own = (int(re.match(r"[0-9,]+", cell)[0].replace(",", "")) for cell in cells[:2])
            rows[cells[2]] = (total, own)
    return rows


def folded(text):
    """Yields the frames of each stack, the outermost first, and its number."""
    for line in text.splitlines():
        stack, number = line.rsplit(" ", 1)
        yield stack.split(";"), int(number)


def raw(text):
    """The same of pprof -raw."""
    samples, locations = text.split("\nLocations\n")
    names = dict(re.findall(r"^ +(\d+): 0x\S+ M=\d+ (.+?) \S*:\d+ s=\d+$", locations, re.M))
    for number, ids in re.findall(r"^ +(\d+)(?: +\d+)*: ([\d ]+?) *$", samples, re.M):
        yield [names[i] for i in reversed(ids.split())], int(number)


def sums(stacks):
    """Returns name -> (total, self)."""
    total, own = collections.Counter(), collections.Counter()
    for frames, number in stacks:
        for frame in set(frames):
            total[frame] += number
        own[frames[-1]] += number
    return {frame: (total[frame], own[frame]) for frame in total}


def main():
    dom, stacks, kind = sys.argv[1:]
    with open(dom, encoding="utf-8") as page:
        rows = shown(page.read())
    with open(stacks, encoding="utf-8") as lines:
        wanted = sums((folded if kind == "folded" else raw)(lines.read()))
    wrong = [f"{name}: {row}, the stacks have {wanted.get(name)}"
             for name, row in rows.items() if wanted.get(name) != row]
    wrong += [f"{name} is not shown" for name, (_, own) in wanted.items() if own and name not in rows]
    print("\n".join(wrong) or f"{len(rows)} of {len(wanted)} functions are shown, and equal")
    sys.exit(bool(wrong) or not rows)


main()
