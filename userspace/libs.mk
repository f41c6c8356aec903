# SPDX-License-Identifier: GPL-2.0
#
# What libtap is built on: BTF is read by libbpf, formats of events by libtraceevent, programs by
# libdw and libelf; names of C++ and Rust by libiberty, of which Debian has an archive alone, so that
# it becomes part of libtap. A static program takes the libraries behind them as well, and
# tap/static/*.c, which stand in for dlopen() and for what Debian 13's libelf.a lacks. Needs TOP.

PKG_CONFIG ?= pkg-config
NEEDS	:= libbpf libtraceevent libdw libelf libzstd
LIBS	:= $(shell $(PKG_CONFIG) --libs $(NEEDS)) -liberty
LIBS_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(NEEDS))
LIBS_STATIC := $(shell $(PKG_CONFIG) --static --libs $(NEEDS)) -liberty -Wl,--wrap=dlopen
STATIC_SRC := $(sort $(wildcard $(TOP)/userspace/tap/static/*.c))

# For scripts that link with libtap.a: "make -s -C userspace libs".
.PHONY: libs
libs:
	@echo '$(LIBS)'
