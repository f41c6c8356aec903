# SPDX-License-Identifier: GPL-2.0
# fish: completion of tap(1). "tap --complete WORD..." prints what may stand in the place of the last word.

function __tap_complete
    set -l words (commandline -opc)
    set -l word (commandline -ct)
    set -l tap (string replace -r '^~/' "$HOME/" -- $words[1])
    $tap --complete $words[2..-1] "$word" 2>/dev/null | while read -l line
        switch $line
            case :files
                __fish_complete_path (string replace -r '^--[a-z-]*=' '' -- "$word")
            case :commands
                __fish_complete_command
            case '*'
                printf '%s\n' $line
        end
    end
end

complete -c tap -f -k -a '(__tap_complete)'
complete -c tapmod -f -k -a '(__tap_complete)'
