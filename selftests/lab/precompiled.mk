# SPDX-License-Identifier: GPL-2.0
# kbuild appends this to the Kbuild file of a build: the headers that the file "tapmod" includes are parsed
# once for all objects. It is the first that each includes, and compiler-version.h refuses to be included
# twice. gcc accepts precompiled headers only with the same macros, so they need the names that the objects
# have: -Winvalid-pch warns if gcc does not accept them, and a warning is an error.
      cmd_headers = $(CC) $(patsubst %/compiler-version.h,/dev/null,$(c_flags)) -x c-header -c -o $@ $<
$(obj)/tapmod.gch: part-of-module := y
$(obj)/tapmod.gch: $(obj)/tapmod FORCE
	$(call if_changed_dep,headers)
targets += tapmod.gch
$(addprefix $(obj)/,$(tapmod-y)): private NOSTDINC_FLAGS += -Winvalid-pch -include $(obj)/tapmod
$(addprefix $(obj)/,$(tapmod-y)): $(obj)/tapmod.gch
