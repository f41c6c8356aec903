# SPDX-License-Identifier: GPL-2.0
"""Compares exports of a trace file with the lines of tap report --json of the same file.

usage: export_compare.py REPORT FORMAT EXPORT TRACE-PROCESSOR PPROF BABELTRACE BABELTRACE-2.1 [COUNTER...]
COUNTER: the values of --pmu in a file that the lab recorded. Without them the file is the one that
selftests/lib/export_test.c makes, and its special cases must be there.
Prints a line for each check, as the native tests do, and the counts at the end.
"""
import collections
import json
import os
import re
import sqlite3
import subprocess
import sys

COUNTERS = sys.argv[8:]
passed = failed = 0


def check(good, name, *details):
    global passed, failed
    if good:
        passed += 1
        print(f"ok - {name}")
    else:
        failed += 1
        print(f"not ok - {name}")
        for detail in details:
            print(f"#   {detail!r}"[:400])


def equal(got, want, name):
    """Two lists or dictionaries; prints the first that differs."""
    if isinstance(want, dict):
        got, want = sorted(got.items(), key=repr), sorted(want.items(), key=repr)
    first = next((pair for pair in zip(got, want) if pair[0] != pair[1]), None)
    check(len(got) == len(want) and first is None, name, (len(got), len(want)), first)


def load(path):
    """Times in seconds stay text: they have more digits than a number of 64 bits."""
    with open(path, encoding="utf-8") as lines:
        return [json.loads(line, parse_float=str) for line in lines]


def sums_of(report):
    """The number of events of each name, and the sum of their durations, None without any."""
    sums = {}
    for event in report:
        if event["type"] == "event":
            number, duration = sums.get(event["event"], (0, None))
            if event.get("duration_ns") is not None:
                duration = (duration or 0) + event["duration_ns"]
            sums[event["event"]] = (number + 1, duration)
    return [(name, *sums[name]) for name in sorted(sums)]


# --- json

def compare_json(report, path):
    equal(load(path), report, "lines of JSON are those of the report")
    base = sqlite3.connect(":memory:")
    base.execute("create table t (line)")
    with open(path, encoding="utf-8") as lines:
        base.executemany("insert into t values (?)", ([line] for line in lines))
    got = base.execute("""select json_extract(line, '$.event') as event, count(*), sum(json_extract(line, '$.duration_ns')) from t
                          where json_extract(line, '$.type') = 'event' group by event order by event""").fetchall()
    equal(got, sums_of(report), "the functions of SQLite for JSON have the same counts and durations")
    equal(base.execute("select json_extract(line, '$.time_ns') from t order by rowid").fetchall(), [(event["time_ns"],) for event in report],
          "and the same times to the nanosecond")


# --- tsv

ESCAPES = {"t": "\t", "n": "\n", "r": "\r", "\\": "\\"}


def unescape(cell):
    """None for NULL."""
    if cell == "\\N":
        return None
    out, chars = "", iter(cell)
    for char in chars:
        out += ESCAPES[next(chars)] if char == "\\" else char
    return out


def cell_of(value):
    """What a table has of a value of JSON: strings as they are, all else as JSON."""
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, separators=(",", ":"), ensure_ascii=False)


def canonical(cell):
    """Escapes of JSON may differ."""
    if cell and cell[0] in "[{":
        return cell_of(json.loads(cell))
    return cell


def row_of(event, columns):
    args = event.get("args", {})
    return [cell_of(args.get(name[4:]) if name.startswith("arg_") else event.get(name)) for name in columns]


def compare_tsv(report, path):
    with open(path, encoding="utf-8", newline="") as table:
        lines = table.read().split("\n")
    check(lines.pop() == "", "the last line ends")
    columns = [unescape(name) for name in lines[0].split("\t")]
    check(len(set(columns)) == len(columns), "each column has a name of its own", columns)
    names = {name for event in report for name in event.get("args", {})}
    equal(sorted(name[4:] for name in columns if name.startswith("arg_")), sorted(names),
          "each value has a column, and no others have")
    check(all(line.count("\t") == len(columns) - 1 for line in lines), "each row has all columns")
    rows = [[canonical(unescape(cell)) for cell in line.split("\t")] for line in lines[1:]]
    equal(rows, [[canonical(cell) for cell in row_of(event, columns)] for event in report],
          "each cell is that of the report")

    base = sqlite3.connect(":memory:")
    base.execute(f"create table t ({','.join(chr(34) + name.replace(chr(34), chr(34) * 2) + chr(34) for name in columns)})")
    base.executemany(f"insert into t values ({','.join('?' * len(columns))})",
                     [[unescape(cell) for cell in line.split("\t")] for line in lines[1:]])
    got = base.execute("""select event, count(*), sum(cast(duration_ns as integer)) from t
                          where type = 'event' group by event order by event""").fetchall()
    equal(got, sums_of(report), "a database has the same counts and durations")
    equal(base.execute("select cast(cpu as integer), sum(lost) from t where type = 'lost' group by cpu order by cpu").fetchall(),
          sorted({cpu: sum(event["lost"] for event in report if event["type"] == "lost" and event["cpu"] == cpu)
                  for cpu in {event["cpu"] for event in report if event["type"] == "lost"}}.items()),
          "and the same losses")


# --- perfetto

QUERIES = """
    error select name, value from stats where severity in ('error', 'data_loss') and value > 0
    slice select s.id, s.ts, s.dur, s.category, s.name, s.arg_set_id, t.type as track_type, t.name as track, \
        tt.utid, th.tid from slice s join track t on t.id = s.track_id left join thread_track tt on tt.id = s.track_id \
        left join thread th using (utid)
    arg select arg_set_id, key, value_type, int_value, string_value from args where key glob 'debug.*'
    stack select slice_id, callsite_id from __intrinsic_track_event_callstacks where callsite_id is not null
    site select c.id, c.parent_id, f.name, f.rel_pc, m.name as mapping from stack_profile_callsite c \
        join stack_profile_frame f on f.id = c.frame_id join stack_profile_mapping m on m.id = f.mapping
    sched select s.ts, s.cpu, t.tid, s.priority from sched s join thread t using (utid)
    counter select t.name, c.ts, c.value from counter c join counter_track t on t.id = c.track_id
"""


def ask(trace, queries):
    """The rows of each query, as dictionaries; integers are text."""
    script = os.path.join(os.path.dirname(sys.argv[0]), "trace_processor.mjs")
    queries = re.sub(r"\\\n *", "", queries)
    queries = "\n".join(line.strip() for line in queries.splitlines())
    out = subprocess.run(["node", script, sys.argv[4], trace], input=queries, check=True,
                         stdout=subprocess.PIPE, text=True).stdout
    rows = collections.defaultdict(list)
    for line in out.splitlines():
        row = json.loads(line)
        rows[row.pop("query")].append(row)
    return rows


def whole(number):
    """An integer as trace_processor has it: of 64 bits, with a sign."""
    number = int(number)
    return number - (1 << 64) if number >= 1 << 63 else number


def key_of(name):
    """trace_processor replaces what it gives a meaning in keys."""
    return re.sub(r"[.\[\]]", "_", name)


def flatten(value, key):
    """The arguments that a value of JSON becomes; a null has none."""
    if isinstance(value, dict):
        return {k: v for name in value for k, v in flatten(value[name], f"{key}.{key_of(name)}").items()}
    if isinstance(value, list):
        return {k: v for i, element in enumerate(value) for k, v in flatten(element, f"{key}[{i}]").items()}
    if value is None:
        return {}
    if isinstance(value, bool):
        return {key: ("bool", int(value))}
    return {key: ("string", value) if isinstance(value, str) else ("int", whole(value))}


MEMBERS = ("cpu", "comm", "tid", "pid", "text", "call", "depth", "ret", "flags")
SPECIAL = ("event", "lost", "total", "what", "since", "count", "size")
STACKS = ("kstack", "ustack")


def slice_of(event):
    """What a line of the report is in Perfetto: category, name, begin, duration, arguments."""
    end, duration, args = event["time_ns"], event.get("duration_ns"), {}
    if event["type"] != "event":
        for name in SPECIAL:
            args.update(flatten(event.get(name), f"debug.{name}"))
        return event["type"], event["type"], end, 0, args
    for name in MEMBERS:
        args.update(flatten(event.get(name), f"debug.{name}"))
    for name, value in event["args"].items():
        if name not in STACKS:
            args.update(flatten(value, f"debug.args.{key_of(name)}"))
    if duration is None:
        return "event", event["event"], end, 0, args
    category = "span" if event["event"].startswith("span:") else "call"
    return category, event["event"], end - duration, duration, args


def frames(event):
    """The parts of each frame, the innermost first: function, offset, object, line."""
    args = event.get("args", {})
    texts = [(text, "kernel") for text in args.get("kstack") or []] + [(text, "unknown") for text in args.get("ustack") or []]
    for text, where in texts:
        name, offset, at, line = re.fullmatch(r"(.*?)(?:\+(0x[0-9a-f]+))?(?: \[(.*)\])?(?: (\S+:\d+))?", text).groups()
        yield name, offset or (name if re.fullmatch("0x[0-9a-f]+", name) else "0x0"), at or where, line or ":0"


def stack_of(event):
    return tuple(f"{name}+{whole(int(offset, 16)):#x} [{at}]" for name, offset, at, _ in frames(event))


def frames_of(site, sites):
    stack = []
    while site is not None:
        row = sites[site]
        stack.append(f"{row['name']}+{int(row['rel_pc']):#x} [{row['mapping'].removeprefix('/')}]")
        site = row["parent_id"]
    return tuple(stack)


def order(item):
    """Rows of one time in any order."""
    return (item[2], item[0], str(item[1]), item[3], sorted(map(str, item[4].items())), *map(str, item[5:]))


def number_at(data, at):
    """A number of Protocol Buffers, and the byte behind it."""
    value = shift = 0
    while True:
        value |= (data[at] & 0x7f) << shift
        shift += 7
        at += 1
        if data[at - 1] < 0x80:
            return value, at


def fields(data):
    """The fields of a message: number, value."""
    at = 0
    while at < len(data):
        tag, at = number_at(data, at)
        value, at = number_at(data, at)
        if tag & 7 == 2:
            value, at = data[at:at + value], at + value
        yield tag >> 3, value


def compare_perfetto(report, path):
    got = ask(path, QUERIES)
    equal(got["error"], [], "trace_processor counts no error")
    args = collections.defaultdict(dict)
    for row in got["arg"]:
        kind = {"uint": "int"}.get(row["value_type"], row["value_type"])
        value = row["string_value"] if kind == "string" else int(row["int_value"])
        args[row["arg_set_id"]][row["key"]] = (kind, value)
    sites = {row["id"]: row for row in got["site"]}
    stacks = {row["slice_id"]: frames_of(row["callsite_id"], sites) for row in got["stack"]}

    want = sorted(((*slice_of(event), stack_of(event)) for event in report), key=order)
    have = sorted(((row["category"], row["name"], int(row["ts"]), int(row["dur"]), args[row["arg_set_id"]],
                    stacks.get(row["id"], ())) for row in got["slice"]), key=order)
    equal([item[:4] for item in have], [item[:4] for item in want],
          "each event has its name, its begin and its duration to the nanosecond")
    equal([item[4] for item in have], [item[4] for item in want], "and its values")
    equal([item[5] for item in have], [item[5] for item in want], "and its stack")
    check(len({item[5] for item in want}) > 4, "among them are several stacks")

    other = [row for row in got["slice"] if row["tid"] is not None and
             args[row["arg_set_id"]].get("debug.tid", (0, 0))[1] != int(row["tid"])]
    equal(other, [], "a track of a thread has events of this thread alone")
    lanes = [row for row in got["slice"] if row["category"] == "call" and row["track_type"] != "thread_execution" and
             not row["track"].startswith("CPU ")]
    calls = [row for row in got["slice"] if row["category"] == "call"]
    check((len(lanes) > 0) == (not COUNTERS) and len(lanes) <= len(calls) / 3, "few calls need a lane of their own, of a real file none",
          len(lanes), len(calls))

    with open(path, "rb") as trace:
        dropped = sum(dict(fields(packet)).get(42, 0) for _, packet in fields(trace.read()))
    losses = [event["lost"] for event in report if event["type"] == "lost"]
    check(dropped == len(losses) and bool(losses) == (not COUNTERS), "each loss is in previous_packet_dropped", dropped, losses)

    switches = [event for event in report if event.get("event") == "tracepoint:sched:sched_switch"]
    equal(sorted((int(row["ts"]), int(row["cpu"]), int(row["tid"])) for row in got["sched"]),
          sorted((event["time_ns"], event["cpu"], event["args"]["next_pid"]) for event in switches),
          "each switch of tasks is in the lane of its CPU")
    counters = collections.Counter()
    for event in report:
        name = event.get("event")
        if name == "file:/proc/meminfo:MemFree":
            counters[(name, event["time_ns"], event["args"]["value"])] += 1
        for field in COUNTERS or ("cycles", "cache_misses"):
            if event.get("args", {}).get(field) is not None:
                counters[(f"{name} {field} CPU {event['cpu']}", event["time_ns"], event["args"][field])] += 1
    equal(collections.Counter((row["name"], int(row["ts"]), int(row["value"])) for row in got["counter"]), counters,
          "each value of a counter is on its track")
    check(len(counters) > 100, "among them are many")


# --- pprof

PPROF_QUERIES = """
    error select name, value from stats where severity in ('error', 'data_loss') and value > 0
    metric select p.sample_type_type as type, sum(s.value) as total, count(*) as n from __intrinsic_aggregate_profile p \\
        join __intrinsic_aggregate_sample s on s.aggregate_profile_id = p.id group by 1
"""


def metrics():
    """The values of a sample."""
    return ["events", "duration", *(COUNTERS or ["cycles"])]


def samples_of(report):
    """The values of each stack: by event, command name and frames, the innermost first."""
    samples = collections.defaultdict(lambda: [0] * len(metrics()))
    for event in report:
        # Only the objects that the file does not name are in brackets.
        stack = tuple((name, at if at not in ("kernel", "unknown") else f"[{at}]", line) for name, _, at, line in frames(event))
        if stack and event.get("call") != "entry":
            values = samples[(event["event"], event.get("comm"), stack)]
            values[0] += 1
            values[1] += event.get("duration_ns") or 0
            if event.get("duration_ns") is not None:
                for i, name in enumerate(metrics()[2:]):
                    values[2 + i] += event["args"].get(name) or 0
    return samples


def read_raw(text):
    """The same out of pprof -raw."""
    head, _, rest = text.partition("Samples:\n")
    samples, _, rest = rest.partition("Locations\n")
    locations, _, mappings = rest.partition("Mappings\n")
    objects = dict(re.findall(r"^(\d+): 0x0/0x0/0x0 (.*?)  \[FN\]$", mappings, re.M))
    parts = {number: (name, objects[mapping], line) for number, mapping, name, line in
              re.findall(r"^ +(\d+): 0x0 M=(\d+) (.*) (\S*:\d+) s=0$", locations, re.M)}
    types, *lines = samples.splitlines()
    out = collections.defaultdict(lambda: [0] * len(metrics()))
    for values, labels in zip(lines[::2], lines[1::2]):
        numbers, _, stack = values.partition(":")
        label = dict(re.findall(r"(comm|event):\[(.*?)\](?= |$)", labels))
        key = (label["event"], label.get("comm"), tuple(parts[number] for number in stack.split()))
        out[key] = [a + int(b) for a, b in zip(out[key], numbers.split())]
    return head, types, out


def compare_pprof(report, path):
    raw = subprocess.run([sys.argv[5], "-raw", path], check=True, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, text=True)
    head, types, got = read_raw(raw.stdout)
    want = samples_of(report)
    units = ["count[dflt]", "nanoseconds", *["count"] * len(metrics())]
    equal(types.split(), [f"{name}/{unit}" for name, unit in zip(metrics(), units)], "pprof knows the values")
    equal(got, dict(want), "each stack has its events, its durations and its counter, by command and event")
    check(len(want) > 50 and sum(sum(values[2:]) for values in want.values()) > 0, "among them are many")
    lost = sum(event["lost"] for event in report if event["type"] == "lost")
    check(not lost or f"Comment: {lost} events were lost while recording" in head, "a comment says how many events were lost", head)
    top = subprocess.run([sys.argv[5], "-sample_index=duration", "-tagfocus=event=call:ksys_read", "-top", "-unit=ns", path],
                         stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    total = sum(values[1] for key, values in want.items() if key[0] == "call:ksys_read")
    check(f"for {total}ns" in top.stdout.replace(",", "") or f"accounting for {total}ns" in top.stdout,
          "pprof adds up the durations of one event", total, top.stdout[:200], top.stderr)

    rows = ask(path, PPROF_QUERIES)
    equal(rows["error"], [], "trace_processor counts no error")
    equal({row["type"]: int(float(row["total"])) for row in rows["metric"]},
          {name: sum(values[i] for values in want.values()) for i, name in enumerate(metrics())},
          "and has the same sums")


# --- ctf

NOT_FIELDS = ("type", "time", "time_ns", "cpu", "event", "args")


def identifiers(names):
    """The names of values in CTF."""
    taken = []
    for name in names:
        base = re.sub("[^A-Za-z0-9]", "_", name)
        free = (base if not n else f"{base}_{n + 1}" for n in range(len(names)))
        taken.append(next(name for name in free if name not in taken))
    return taken


def same_value(got, want, is_stack):
    """Whether a field has a value of the report. For an empty string the module of 2.0.4 has bytes of a string before: it is
    counted by the other version."""
    if isinstance(got, str) and want in (None, ""):
        return True
    if want is None:
        return got in (0, [])
    if isinstance(got, int):
        want = int(want, 0) if isinstance(want, str) else want
        return got == want or got == whole(want)
    return got == want if is_stack else canonical(got) == canonical(cell_of(want))


def fields_differ(event, payload):
    """The first field of an event that is not as in the report, or None."""
    members = {name: value for name, value in event.items() if name not in NOT_FIELDS and value is not None}
    if event["type"] != "event" and event.get("event") is not None:
        members["event"] = event["event"]
    args = event.get("args")
    payload = dict(payload)
    got, absent = payload.pop("args", None), payload.pop("absent", [])
    if payload.keys() != members.keys() or (got is None) != (args is None):
        return sorted(payload), sorted(members)
    for name, value in members.items():
        if not same_value(payload[name], value, name == "flags"):
            return name, payload[name], value
    names = identifiers(list(args or {}))
    if list(got or {}) != names or absent != [name for name, value in zip(names, (args or {}).values()) if value is None]:
        return got, names, absent
    for name, (arg, value) in zip(names, (args or {}).items()):
        if not same_value(got[name], value, arg in STACKS):
            return name, got[name], value
    return None


def compare_ctf(report, path):
    babeltrace = sys.argv[6]
    reader = os.path.join(os.path.dirname(sys.argv[0]), "read_ctf.py")
    out = subprocess.run([babeltrace, "/usr/bin/python3", reader, path], check=True, stdout=subprocess.PIPE, text=True).stdout
    got = [json.loads(line) for line in out.splitlines()]
    cpus = sorted({event["cpu"] for event in report})
    have = [row for cpu in cpus for row in got if row["cpu"] == cpu and "name" in row]
    want = [event for cpu in cpus for event in report if event["cpu"] == cpu]
    equal([(row["cpu"], row["time_ns"], row["name"]) for row in have],
          [(event["cpu"], event["time_ns"], event["event" if event["type"] == "event" else "type"]) for event in want],
          "each event is in the stream of its CPU, with its time to the nanosecond")
    differ = [fields for fields in (fields_differ(event, row["payload"]) for event, row in zip(want, have)) if fields]
    check(not differ, "and has its duration, its values, its stacks and what is absent", len(differ), *differ[:3])
    names = [row["payload"].get("args", {}).keys() for row in have]
    check(COUNTERS or any("absent" in row["payload"] for row in have), "some have absent values")
    check(any("kstack" in args for args in names), "some have stacks")
    losses = [(cpu, event["lost"]) for cpu in cpus for event in report if event["type"] == "lost" and event["cpu"] == cpu]
    equal([(row["cpu"], row["discarded"]) for cpu in cpus for row in got if row["cpu"] == cpu and "discarded" in row], losses,
          "each loss is between two packets of its CPU")
    check(bool(losses) == (not COUNTERS), "there are losses only in the file that has some", losses)

    empty = collections.Counter(name for event, row in zip(want, have)
                                for (name, value), arg in zip(row["payload"].get("args", {}).items(), event.get("args", {}).values())
                                if isinstance(value, str) and arg in (None, ""))
    for version, command in ("2.0 or later", [babeltrace, "babeltrace2"]), ("2.1", [sys.argv[7]]):
        text = subprocess.run([*command, path], check=True, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
        check(text.stdout.count("\n") == len(report), f"babeltrace2 {version} prints as many lines", text.stdout.count("\n"), len(report))
        equal(sorted(int(number) for number in re.findall(r"Tracer discarded (\d+) event", text.stderr)),
              sorted(lost for _, lost in losses), "and warns of each loss")
    equal(collections.Counter(re.findall(r'(\w+) = ""', text.stdout)), empty, "and has the strings that are empty")


def main():
    report, form, path = sys.argv[1:4]
    report = load(report)
    if form == "json":
        compare_json(report, path)
    elif form == "tsv":
        compare_tsv(report, path)
    elif form == "perfetto":
        compare_perfetto(report, path)
    elif form == "pprof":
        compare_pprof(report, path)
    elif form == "ctf":
        compare_ctf(report, path)
    else:
        sys.exit(f"unknown format {form}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
