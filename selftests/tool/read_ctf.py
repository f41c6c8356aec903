# SPDX-License-Identifier: GPL-2.0
"""Prints a trace in CTF as lines of JSON: its events, and the losses between its packets.

usage: read_ctf.py DIR    with the module bt2
"""
import json
import sys

import bt2


def plain(field):
    """The value of a field, without the lengths of arrays, which the metadata has as fields, too."""
    if isinstance(field, bt2._StructureFieldConst):
        return {name: plain(field[name]) for name in field if not (name.startswith("__") and name.endswith("_len"))}
    if isinstance(field, bt2._ArrayFieldConst):
        return [plain(element) for element in field]
    return str(field) if isinstance(field, bt2._StringFieldConst) else int(field)


cpus = {}
for message in bt2.TraceCollectionMessageIterator(sys.argv[1]):
    if isinstance(message, bt2._EventMessageConst):
        event = message.event
        cpus[event.stream.id] = int(event.packet.context_field["cpu_id"])
        print(json.dumps({"name": event.name, "time_ns": message.default_clock_snapshot.value,
                          "cpu": cpus[event.stream.id], "payload": plain(event.payload_field)}))
    elif isinstance(message, bt2._PacketBeginningMessageConst):
        cpus[message.packet.stream.id] = int(message.packet.context_field["cpu_id"])
    elif isinstance(message, bt2._DiscardedEventsMessageConst):
        print(json.dumps({"discarded": message.count, "cpu": cpus[message.stream.id]}))
