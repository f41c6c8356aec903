# SPDX-License-Identifier: GPL-2.0
# Makes the table of whole-way from the output of whole_way_guest. With -v json=FILE it writes the same as
# JSON. Fails if a goal is exceeded, or if events were lost by tap.

BEGIN {
	FS = "\t"
	# Goals for tap, without the write.
	goal["one argument"] = 130
	goal["all fields"] = 520
	goal["one call"] = 360
	form = "%-14s %-10s %8s %8s %8s %6s %10s %12s %8s\n"
	printf form, "operation", "tracer", "whole", "write", "net", "goal", "the reader", "bytes", "lost"
}

# The system call itself, without any tracer.
NF == 3 {
	base = $3 + 0
	next
}

NF == 7 {
	net = $3 - $6
	aim = $2 == "tap" ? goal[$1] : ""
	printf form, $1, $2, sprintf("%.0f", $3), sprintf("%.0f", $6), sprintf("%.0f", net), aim == "" ? "-" : aim,
		sprintf("%.0f", $4 - $6), sprintf("%.1f", $5), $7
	lines = lines (nr++ ? ",\n" : "") sprintf("    {\"operation\": \"%s\", \"tracer\": \"%s\", \"whole\": %s, \"write\": %s, \"others\": %s, \"bytes\": %s, \"lost\": \"%s\"}",
		$1, $2, $3, $6, $4, $5, $7)
	nets[$1, $2] = net
	if ($2 == "tap" && $7 + 0) {
		printf "tap lost %s events: %s\n", $7, $1
		failed = 1
	}
	if (aim != "" && net > aim) {
		printf "over its goal: %s: %.1f, not %s\n", $1, net, aim
		failed = 1
	}
	next
}

{ print }

END {
	if (("all fields", "trace-cmd") in nets && nets["all fields", "tap"] >= nets["all fields", "trace-cmd"]) {
		printf "all fields: tap takes %.1f, trace-cmd %.1f\n", nets["all fields", "tap"], nets["all fields", "trace-cmd"]
		failed = 1
	}
	if (json)
		printf "{\n  \"unit\": \"instructions\",\n  \"call\": %s,\n  \"rows\": [\n%s\n  ]\n}\n", base, lines >json
	if (!nr) {
		print "no figures"
		failed = 1
	}
	exit failed
}
