# SPDX-License-Identifier: GPL-2.0
# Makes the table beside other tracers from the output of tap_bench, compare_guest and read, in one file.
# With -v json=FILE it writes the same as JSON, with all rows of tap_bench. Fails if a goal is exceeded,
# or if a figure of another tracer is missing. -v unbuilt=REASON: LTTng does not build.

function trim(text) {
	gsub(/^ +| +$/, "", text)
	return text
}

# operation(NAME, ROW, OVER): ROW of tap_bench; its cost is added to that of the row OVER, if given.
function operation(name, row, over) {
	names[++nr] = name
	row_of[name] = row
	over_of[name] = over
}

function shown(value) {
	return value == "" ? "-" : sprintf("%.0f", value)
}

function string(text) {
	gsub(/["\\]/, "\\\\&", text)
	return "\"" text "\""
}

BEGIN {
	operation("tracepoint", "raw tracepoint, 2 arguments")
	operation("ring full", "raw tracepoint, ring full")
	operation("disabled", "raw tracepoint, disabled")
	operation("function entry", "func, 2 arguments")
	operation("kprobe", "kprobe, 2 arguments")
	operation("kretprobe", "kretprobe, return value")
	operation("call", "call, 2 arguments")
	operation("kprobe, filtered out", "kprobe, rejected by argument, over empty", "kprobe, an empty handler")
	operation("kprobe, counted by key", "kprobe, counted by one key, over empty", "kprobe, an empty handler")
	operation("uprobe", "uprobe, 2 arguments")
	operation("uretprobe", "uretprobe, return value")
	operation("ucall", "ucall, 2 arguments")
	nr_peers = split("ftrace perf bpftrace lttng", peers, " ")
	form = "%-24s %8s %6s %8s %8s %9s %8s %12s\n"
	FS = "\t"
}

# A line of another tracer: OPERATION, TRACER, INSTRUCTIONS.
NF == 3 {
	figure[$1, $2] = $3
	next
}

# An error of another tracer: TRACER: OPERATION: failed
/^[a-z]+: .*: failed\r?$/ {
	failed = 1
}

# A line of tap_bench: its name, instructions, and optionally a goal and OVER.
match($0, / +-?[0-9]+\.[0-9][0-9]( +[0-9]+( +OVER)?)?$/) && !/^ / {
	name = trim(substr($0, 1, RSTART - 1))
	split(trim(substr($0, RSTART)), part, / +/)
	ours[name] = part[1]
	goal[name] = part[2]
	order[++nr_ours] = name
	if (part[3] == "OVER") {
		printf "over its goal: %s: %s, not %s\n", name, part[1], part[2]
		failed = 1
	}
}

END {
	printf form, "operation", "tap", "goal", "ftrace", "perf", "bpftrace", "LTTng", "tap to best"
	for (i = 1; i <= nr; i++) {
		name = names[i]
		tap = ours[row_of[name]]
		aim = goal[row_of[name]]
		# The total cost: the row does not include that of an empty handler.
		if (tap != "" && over_of[name]) {
			tap += ours[over_of[name]]
			aim = ""
		}
		best = ""
		for (p = 1; p <= nr_peers; p++) {
			of = figure[name, peers[p]]
			if (of != "" && (best == "" || of + 0 < best + 0))
				best = of
		}
		ratio = tap != "" && best > 0 ? sprintf("%.2f", tap / best) : "-"
		printf form, name, shown(tap), aim == "" ? "-" : aim, shown(figure[name, "ftrace"]),
			shown(figure[name, "perf"]), shown(figure[name, "bpftrace"]), shown(figure[name, "lttng"]), ratio
		line = sprintf("    {\"operation\": %s, \"tap\": %s, \"goal\": %s", string(name),
			tap == "" ? "null" : tap, aim == "" ? "null" : aim)
		for (p = 1; p <= nr_peers; p++) {
			of = figure[name, peers[p]]
			line = line sprintf(", \"%s\": %s", peers[p], of == "" ? "null" : of)
		}
		lines = lines (i > 1 ? ",\n" : "") line "}"
		if (best == "") {
			printf "nothing of the others: %s\n", name
			failed = 1
		}
	}
	if (unbuilt != "")
		print "LTTng: does not build on this kernel: " unbuilt
	unbuilt = unbuilt == "" ? "null" : string(unbuilt)
	printf "{\n  \"unit\": \"instructions\",\n  \"beside\": [\n%s\n  ],\n  \"lttng_unbuilt\": %s,\n  \"rows\": [\n", lines, unbuilt >json
	for (i = 1; i <= nr_ours; i++)
		printf "    {\"row\": %s, \"tap\": %s, \"goal\": %s}%s\n", string(order[i]), ours[order[i]],
			goal[order[i]] == "" ? "null" : goal[order[i]], i < nr_ours ? "," : "" >json
	print "  ]\n}" >json
	if (!nr_ours) {
		print "no figures"
		failed = 1
	}
	exit failed
}
