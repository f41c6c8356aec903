# SPDX-License-Identifier: GPL-2.0
"""Compares exports of a trace file with the lines of tap report --json of the same file.

usage: export_compare.py REPORT FORMAT EXPORT
Prints a line for each check, as the native tests do, and the counts at the end.
"""
import json
import sqlite3
import sys

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
    sums = {}
    for event in report:
        if event["type"] == "event":
            number, duration = sums.get(event["event"], (0, None))
            if event.get("duration_ns") is not None:
                duration = (duration or 0) + event["duration_ns"]
            sums[event["event"]] = (number + 1, duration)
    equal(got, [(name, *sums[name]) for name in sorted(sums)], "a database has the same counts and durations")
    equal(base.execute("select cast(cpu as integer), sum(lost) from t where type = 'lost' group by cpu order by cpu").fetchall(),
          sorted({cpu: sum(event["lost"] for event in report if event["type"] == "lost" and event["cpu"] == cpu)
                  for cpu in {event["cpu"] for event in report if event["type"] == "lost"}}.items()),
          "and the same losses")


def main():
    report, form, path = sys.argv[1:4]
    report = load(report)
    if form == "json":
        equal(load(path), report, "lines of JSON are those of the report")
    elif form == "tsv":
        compare_tsv(report, path)
    else:
        sys.exit(f"unknown format {form}")
    print(f"{passed} passed, {failed} failed")
    sys.exit(failed != 0)


main()
