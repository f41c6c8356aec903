#!/usr/bin/env python3
# SPDX-License-Identifier: GPL-2.0
"""Compares the order of "tap merge --json" (standard input) with that of tickets.

Machines take tickets from one roll. An event happens after its own ticket was taken, and before its
machine takes the next one: so it is certainly before each event whose ticket is that one or later.
No clock has a part in this.

Prints the numbers of
  events;
  wrong    events without a mark, behind an event that happened later;
  swapped  events with a mark, behind an event that happened later;
  pairs    of events as far apart as their errors or farther, and as near as there are: one for each
           event and other machine;
  right    pairs whose tickets say that order;
  against  pairs whose tickets say the other one.
"""
import json
import sys


def read(lines):
    """Returns (machine, time, error, marked, ticket, next ticket of the machine) of each event."""
    events = []
    last = {}
    for line in lines:
        event = json.loads(line)
        if event["type"] != "event":
            continue
        host, ticket = event["host"], event["args"]["ticket"]
        if host in last:
            last[host][5] = ticket
        last[host] = [host, event["time_ns"], event["error_ns"], event["uncertain"], ticket, float("inf")]
        events.append(last[host])
    return events


def marks(events):
    """Counts events behind later ones of other machines: (without a mark, with it)."""
    wrong = swapped = 0
    latest = {}
    for host, _, _, marked, ticket, until in events:
        if any(other != host and until <= most for other, most in latest.items()):
            swapped += marked
            wrong += not marked
        latest[host] = max(latest.get(host, 0), ticket)
    return wrong, swapped


def pairs(events):
    """Counts pairs whose errors do not overlap: (all, right, against)."""
    counted = right = against = 0
    hosts = sorted({event[0] for event in events})
    sequences = {host: [event for event in events if event[0] == host] for host in hosts}
    for host in hosts:
        for other in hosts:
            if other == host:
                continue
            earlier = sequences[other]
            at = 0
            for event in sequences[host]:
                while at < len(earlier) and earlier[at][1] + earlier[at][2] < event[1] - event[2]:
                    at += 1
                if not at:
                    continue
                counted += 1
                right += earlier[at - 1][5] <= event[4]
                against += event[5] <= earlier[at - 1][4]
    return counted, right, against


def main():
    events = read(sys.stdin)
    print(len(events), *marks(events), *pairs(events))


main()
