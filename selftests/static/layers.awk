# SPDX-License-Identifier: GPL-2.0
# Reads a LAYERS file, for check-layers and check-symbols (awk -f layers.awk -f CHECK).
#
# LAYERS has a line for each room (folder) of its tree, the lowest first:
#	ROOM: the rooms that it may include and call
# A room may only name rooms above its own line, so there is no cycle. Other lines are empty or begin
# with "#"; two of those are directives:
#	# header: ROOM x.h...		x.h declares functions of more files of ROOM than x.c
#	# outside: room/x.h...		headers of another tree that this tree may include

# Prints a breach; the script then exits with status 1.
function breach(text) {
	print text
	breaches++
}

# Sets known[ROOM], may[ROOM, OTHER], room_header["ROOM/x.h"] and outside["room/x.h"] from the file.
# Messages name the file with a prefix, its folder.
function read_layers(file, prefix,	line, word, nr, i, status) {
	while ((status = (getline line < file)) > 0) {
		nr = split(line, word, /[ \t]+/)
		if (word[1] == "#" && word[2] == "header:") {
			for (i = 4; i <= nr; i++)
				room_header[(word[3] == "." ? "" : word[3] "/") word[i]]
		} else if (word[1] == "#" && word[2] == "outside:") {
			for (i = 3; i <= nr; i++)
				outside[word[i]]
		} else if (line !~ /^#/ && line !~ /^[ \t]*$/) {
			if (word[1] !~ /^[a-z0-9_]+:$/) {
				breach(prefix file ": not \"ROOM: ROOM...\": " line)
				continue
			}
			sub(/:$/, "", word[1])
			if (word[1] in known)
				breach(prefix file ": " word[1] " has two lines")
			for (i = 2; i <= nr; i++) {
				if (word[i] == "")
					continue
				if (!(word[i] in known))
					breach(prefix file ": " word[1] " names " word[i] ", which is not above it")
				may[word[1], word[i]]
			}
			known[word[1]]
		}
	}
	if (status < 0) {
		print prefix file ": cannot be read"
		exit 2
	}
	close(file)
	# Common names of a header for a whole room.
	room_header["lang/lang.h"]
	room_header["compile/compile.h"]
	room_header["resolve/resolve.h"]
	room_header["probes/probes.h"]
	room_header["session/session_ops.h"]
	room_header["tool.h"]
}

# The room of a path below the tree; "." for files at the top.
function room_of(path) {
	return path ~ /\// ? substr(path, 1, index(path, "/") - 1) : "."
}

# Whether a room may use another: itself, files at the top, common/ and rooms that LAYERS lists.
# Files at the top may use all.
function is_allowed(room, other) {
	return room == other || room == "." || other == "." || other == "common" || (room, other) in may
}
