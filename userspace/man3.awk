# SPDX-License-Identifier: GPL-2.0
# Makes libtap(3) from the public headers: from their "DOC:" sections and from each kernel-doc comment
# with the declaration behind it, a function, a structure or an enum.
# usage: LC_ALL=C awk -v version=VERSION -f man3.awk include/libtap.h
# The other headers are those that libtap.h includes, in that order.

# Marks of kernel-doc become fonts; characters that mean something to roff are escaped.
function roff(s,	out, word) {
	gsub(/[ \t]+/, " ", s)
	sub(/^ /, "", s)
	gsub(/\\/, "\\e", s)
	gsub(/'/, "\\(aq", s)
	gsub(/`/, "\\(ga", s)
	gsub(/~/, "\\(ti", s)
	gsub(/\^/, "\\(ha", s)
	while (match(s, /[@%&]?[A-Za-z_][A-Za-z0-9_]*(\(\))?|-/)) {
		word = substr(s, RSTART, RLENGTH)
		out = out substr(s, 1, RSTART - 1)
		s = substr(s, RSTART + RLENGTH)
		# A hyphen stands within a word, everything else is a minus.
		if (word == "-")
			word = out ~ /[A-Za-z]$/ && s ~ /^[A-Za-z]/ ? "-" : "\\-"
		else if (word ~ /^@/)
			word = "\\fI" substr(word, 2) "\\fP"
		else if (word ~ /^[%&]/)
			word = "\\fB" substr(word, 2) "\\fP"
		else if (word ~ /\(\)$/)
			word = "\\fB" substr(word, 1, length(word) - 2) "\\fP()"
		out = out word
	}
	return (out s ~ /^[.]/ ? "\\&" : "") out s
}

function heading(macro, s) {
	gsub(/"/, "\\(dq", s)
	print macro " \"" s "\""
}

# The comment in text[1..lines]: name, purpose, param_name[], param_text[]; paragraphs in body[].
function parse_comment(	i, line, at) {
	name = purpose = ""
	params = bodies = 0
	for (i = 1; i <= lines; i++) {
		line = text[i]
		if (line ~ /^[ \t]*$/) {
			at = "gap"
		} else if (name == "") {
			name = purpose = line
			sub(/ - .*/, "", name)
			sub(/.* - /, "", purpose)
			at = "purpose"
		} else if (line ~ /^@[A-Za-z_][A-Za-z0-9_.]*:/) {
			match(line, /:/)
			param_name[++params] = substr(line, 2, RSTART - 2)
			param_text[params] = substr(line, RSTART + 1)
			at = "param"
		} else if (at == "param") {
			param_text[params] = param_text[params] " " line
		} else if (at == "purpose") {
			purpose = purpose " " line
		} else {
			if (at == "gap" || line ~ /^Return:/)
				body[++bodies] = ""
			body[bodies] = body[bodies] " " line
			at = "body"
		}
	}
}

function print_bodies(	i) {
	for (i = 1; i <= bodies; i++) {
		print ".PP"
		if (sub(/^ Return: */, "", body[i]))
			print ".B Returns:"
		print roff(body[i])
	}
}

# A piece of a prototype, with the name of its parameter in italics.
function italic(part,	i, start) {
	for (i = 1; i <= params; i++)
		if (match(part, "[ *(]" param_name[i] "[],)[]")) {
			start = RSTART
			return substr(part, 1, start) "\\fI" param_name[i] "\\fB" \
				substr(part, start + 1 + length(param_name[i]))
		}
	return part
}

# A line holds as many parameters as it has room for.
function print_prototype(s,	i, c, depth, part, line) {
	gsub(/LIBTAP_API|static inline|__attribute__.*/, " ", s)
	gsub(/[ \t\n]+/, " ", s)
	gsub(/^ | ?[;{]? ?$/, "", s)
	print ".PP\n.nf"
	for (i = 1; i <= length(s); i++) {
		c = substr(s, i, 1)
		depth += (c == "(") - (c == ")")
		part = part c
		if (i < length(s) && (depth != 1 || c !~ /[(,]/))
			continue
		if (length(line part) > 80 && line != "") {
			print "\\fB" line "\\fP"
			line = "    "
			sub(/^ /, "", part)
		}
		line = line italic(part)
		part = ""
	}
	print "\\fB" line ";\\fP\n.fi"
}

function print_entry(declaration,	i) {
	parse_comment()
	heading(".SS", name)
	if (purpose !~ /^[a-z]+_/)
		purpose = toupper(substr(purpose, 1, 1)) substr(purpose, 2)
	print roff(purpose (purpose ~ /[.:]$/ ? "" : "."))
	if (name !~ / /)
		print_prototype(declaration)
	else if (declaration ~ /^struct .*[{]/) {
		gsub(/\t/, "    ", declaration)
		print ".PP\n.nf\n" declaration "\n.fi"
	}
	for (i = 1; i <= params; i++) {
		print ".TP\n" (name ~ /^enum / ? ".B " : ".I ") param_name[i]
		print roff(param_text[i])
	}
	print_bodies()
}

function print_doc() {
	heading(".SH", toupper(substr(text[1], 6)))
	parse_comment()
	print_bodies()
}

# The comment that begins a header says what the header is about, before its "DOC:", if it has one.
function print_intro(path,	i, n, intro) {
	for (i = 1; i <= lines && text[i] !~ /^DOC:/; i++)
		intro = intro " " text[i]
	sub(/Included by[ \t]+libtap.h, which has[ \t]+the conventions[.]/, "", intro)
	if (path == "libtap.h") {
		gsub(/^ libtap: |[.] *$/, "", intro)
		print ".SH NAME\nlibtap \\- " roff(intro)
		print ".SH SYNOPSIS\n.nf\n.B #include <libtap.h>"
		print ".PP\n.B cc \\-std=c11 prog.c $(pkg\\-config \\-\\-cflags \\-\\-libs libtap)\n.fi"
	} else {
		heading(".SH", "<" path ">")
		print roff(intro)
	}
	for (n = 0; i <= lines; i++)
		text[++n] = text[i]
	lines = n
	if (n)
		print_doc()
}

function read_header(path,	file, line, begun, s) {
	file = dir "/" path
	while ((getline line <file) > 0) {
		if (path == "libtap.h" && line ~ /^#include <libtap\//) {
			gsub(/^#include <|>.*/, "", line)
			others[++nr_others] = line
		}
		if (line != "/**" && (line != "/*" || begun++))
			continue
		for (lines = 0; (getline s <file) > 0 && s !~ /^ \*\/$/;) {
			sub(/^ \*[ ]?/, "", s)
			text[++lines] = s
		}
		if (line == "/*") {
			print_intro(path)
		} else if (text[1] ~ /^DOC:/) {
			print_doc()
		} else {
			for (s = ""; (getline line <file) > 0;) {
				s = s (s == "" ? "" : "\n") line
				if (s ~ /^(struct|enum) [a-z_0-9]+ [{]/ ? line == "};" : line ~ /;$|^[{]$/)
					break
			}
			print_entry(s)
		}
	}
	close(file)
}

BEGIN {
	dir = ARGV[1]
	sub(/\/[^\/]*$/, "", dir)
	print ".\\\" SPDX-License-Identifier: LGPL-2.1"
	print ".\\\" Made from the public headers by userspace/man3.awk."
	print ".TH LIBTAP 3 \"\" \"tapmod " version "\" \"Library Functions\""
	print ".nh\n.ad l"
	read_header("libtap.h")
	for (i = 1; i <= nr_others; i++)
		read_header(others[i])
	print ".SH SEE ALSO\n.BR tap (1),\n.BR tap (4)"
}
