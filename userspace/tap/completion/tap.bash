# SPDX-License-Identifier: GPL-2.0
# bash: completion of tap(1). "tap --complete WORD..." prints what may stand in the place of the last word.

_tap()
{
	local line=${COMP_LINE:0:COMP_POINT} words=() raw name i quote='' before

	# Bash splits words at : and =. Pieces that touch each other are one word.
	for ((i = 0; i <= COMP_CWORD; i++)); do
		raw=${COMP_WORDS[i]}
		if [[ $i -eq 0 || $line == [[:space:]]* ]]; then
			line=${line#"${line%%[![:space:]]*}"}
			words+=('')
		fi
		# The last one ends at the cursor.
		[[ $line == "$raw"* ]] || raw=$line
		words[${#words[@]} - 1]+=$raw
		line=${line#"$raw"}
	done
	raw=${words[${#words[@]} - 1]}
	[[ $raw != [\'\"]* ]] || quote=${raw:0:1}
	# What precedes the piece that readline replaces.
	before=${raw#"$quote"}
	before=${before%"$2"}

	while IFS=$'\t' read -r name _; do
		case $name in
		:files)
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -f -- "$2")
			;;
		:commands)
			# They may be paths, which readline quotes only as file names.
			compopt -o filenames
			mapfile -t COMPREPLY < <(compgen -c -- "$2")
			;;
		*) COMPREPLY+=("${name#"$before"}") ;;
		esac
	done < <("${words[0]/#\~/$HOME}" --complete "${words[@]:1}" 2>/dev/null)
	# More follows: a target, the rest of a name, or in quotes a value.
	[[ ${#COMPREPLY[@]} -ne 1 || ! ($quote || ${COMPREPLY[0]} == *[:/_,=]) ]] || compopt -o nospace
}

# tapmod is the name in Debian, where another package has /usr/bin/tap.
complete -F _tap tap tapmod
