# SPDX-License-Identifier: GPL-2.0
#
# The tests that need no kernel, under the sanitizers:
#	make -f selftests/native.mk			all of them
#	make -f selftests/native.mk run-ring_core-tsan	one
#	make -f selftests/native.mk list		their names
#	make -f selftests/native.mk ARCH=arm64		those of the library, without the sanitizers,
#							in an emulator of programs

TOP := $(CURDIR)
include userspace/cross.mk
OUT := $(BUILD)/native
FLAGS := -std=gnu11 -D_GNU_SOURCE -g -Wall -Wextra -Werror -Iuapi -iquote userspace/lib -I. -pthread
# What libtap.a is built on.
NEEDS := libbpf libtraceevent libdw libelf libzstd
ifdef SYSROOT
LIBTAP := $(BUILD)/userspace/libtap.a
LIBS := $(wildcard userspace/static/*.c) -Wl,--wrap=dlopen $(shell $(PKG_CONFIG) --static --libs $(NEEDS)) -liberty
ASAN := -O1 -static
EMULATOR := $(CACHE)/qemu-user-$(ARCH)/run
# What tests build and look at with tools of these names is of that machine too.
TOOLS := $(OUT)/bin
export PATH := $(TOOLS):$(PATH)
export C_INCLUDE_PATH := $(SYSROOT)/usr/include/aarch64-linux-gnu
else
LIBTAP := $(BUILD)/userspace-san/libtap.a
LIBS := $(shell pkg-config --libs $(NEEDS)) -liberty
ASAN := -O1 -fsanitize=address,undefined -fno-sanitize-recover=all
endif
TSAN := -O2 -fsanitize=thread

# How a weakened ring is caught: by which build. See selftests/ring_shim.h.
BREAKS_PLAIN := 1 3 4 8
BREAKS_TSAN := 2 5 6 7
BREAKS := $(BREAKS_PLAIN:%=ring_core-break%) $(BREAKS_TSAN:%=ring_core-break%)

# The table by task, and how it is weakened: see selftests/task_shim.h.
TASK_TABLES := task_table-asan task_table-tsan task_table-break1 task_table-break2
# The kernel's headers that it includes: empty ones, since that file has what they would.
TASK_HEADERS := $(patsubst %,$(OUT)/kernel/linux/%.h,atomic cache hash log2 minmax mm sched slab string)

# Those of ELF files and of mappings look at programs of the system and at their own process, which
# are not of that machine in an emulator.
LIBRARY := aggregation decoder $(if $(SYSROOT),,elf mappings) expr fields file flame graph mark_text modules perf_event spec syscalls \
	tracefs types user
TESTS := $(if $(SYSROOT),,ring_core-plain ring_core-asan ring_core-tsan $(BREAKS) $(TASK_TABLES)) $(LIBRARY)

.PHONY: all list $(LIBRARY) $(TASK_TABLES) $(TESTS:%=run-%)
all: $(TESTS:%=run-%)

list:
	@echo $(TESTS)

$(OUT):
	@mkdir -p $@

.PHONY: libtap
libtap:
ifdef SYSROOT
	@$(MAKE) -s -C userspace static
	@selftests/vm/fetch --arch $(ARCH) qemu-user
	@mkdir -p $(TOOLS)
	@for tool in gcc g++ strip objcopy objdump nm readelf addr2line; do \
		ln -sf "$$(command -v $(CROSS)$$tool)" $(TOOLS)/$$tool; done
else
	@$(MAKE) -s -C userspace SAN=1 lib
endif

run-ring_core-plain: | $(OUT)
	$(CC) $(FLAGS) -O2 -Imodule selftests/ring_core_test.c -o $(OUT)/ring_core-plain
	$(OUT)/ring_core-plain

run-ring_core-asan: | $(OUT)
	$(CC) $(FLAGS) $(ASAN) -Imodule selftests/ring_core_test.c -o $(OUT)/ring_core-asan
	$(OUT)/ring_core-asan 1000000

run-ring_core-tsan: | $(OUT)
	$(CC) $(FLAGS) $(TSAN) -Imodule selftests/ring_core_test.c -o $(OUT)/ring_core-tsan
	$(OUT)/ring_core-tsan

# The algorithm broken in one place: the test must notice. It says so by its
# status; its count of failures is what it ought to be.
define break_rule
run-ring_core-break$(1): | $(OUT)
	$$(CC) $$(FLAGS) $(2) -DBREAK=$(1) -Imodule selftests/ring_core_test.c \
		-o $$(OUT)/ring_core-break$(1)
	$$(OUT)/ring_core-break$(1) --expect-failure 500000 | sed 's/^[0-9]* passed/of the broken ring: &/'
endef
$(foreach n,$(BREAKS_PLAIN),$(eval $(call break_rule,$(n),-O2)))
$(foreach n,$(BREAKS_TSAN),$(eval $(call break_rule,$(n),$(TSAN))))

$(TASK_HEADERS):
	@mkdir -p $(@D)
	@touch $@

$(TASK_TABLES): task_table-%: $(TASK_HEADERS)
	$(CC) $(FLAGS) $(if $(filter asan,$*),$(ASAN),$(TSAN)) $(patsubst break%,-DBREAK=%,$(filter break%,$*)) \
		-I$(OUT)/kernel -Imodule selftests/task_table_test.c -o $(OUT)/$@

run-task_table-asan run-task_table-tsan: run-%: %
	$(OUT)/$*

run-task_table-break1 run-task_table-break2: run-%: %
	@! $(OUT)/$* >$(OUT)/$*.log 2>&1 && grep -qE '^not ok|^WARNING: ThreadSanitizer' $(OUT)/$*.log || \
		{ echo "not ok - $* is not noticed"; exit 1; }
	@echo "1 passed, 0 failed"

# What of the tool a test takes with it.
TOOL_flame := -iquote userspace/tool $(wildcard userspace/tool/flame_*.c) \
	userspace/tool/recording.c
TOOL_types := -Wl,--wrap=btf__type_by_id
TOOL_elf := -iquote userspace/tool userspace/tool/cut_file.c

$(LIBRARY): %: libtap | $(OUT)
	$(CC) $(FLAGS) $(ASAN) selftests/$*_test.c $(TOOL_$*) $(LIBTAP) $(LIBS) -o $(OUT)/$*

$(LIBRARY:%=run-%): run-%: %
	$(EMULATOR) $(OUT)/$*

SHELL := /bin/bash
.SHELLFLAGS := -o pipefail -c
