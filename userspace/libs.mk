# SPDX-License-Identifier: GPL-2.0
#
# The libraries of libtap: libbpf's headers have the format of BTF; libtraceevent reads the formats of
# events, libdw and libelf programs; libmnl sends and receives netlink messages; libiberty demangles names of C++ and Rust. Debian
# has libiberty as an archive only, so that it becomes a part of libtap. A static program also needs their
# own libraries, and tap/static/*.c, which replace dlopen() and the functions that Debian 13's libelf.a
# lacks. Needs TOP and CACHE (cross.mk).

PKG_CONFIG ?= pkg-config
NEEDS	:= libbpf libtraceevent libdw libelf libzstd libmnl

# The archive of libmnl, for static programs: libmnl-dev has one in Debian from release 13 on. Elsewhere,
# and for another machine, it is what selftests/lab/fetch leaves in the cache.
LIBMNL_ARCH := $(if $(SYSROOT),$(ARCH),$(shell dpkg --print-architecture 2>/dev/null))
LIBMNL_FETCH := $(TOP)/selftests/lab/fetch --arch $(LIBMNL_ARCH) libmnl
LIBMNL	:= $(CACHE)/libmnl-$(LIBMNL_ARCH)
LIBMNL_A := $(or $(if $(SYSROOT),,$(filter /%,$(shell $(CC) -print-file-name=libmnl.a))),$(LIBMNL)/lib/libmnl.a)

# The packages that pkg-config is asked for, of another machine all but libmnl; FOUND is empty if it
# lacks one.
PACKAGES := $(if $(SYSROOT),$(filter-out libmnl,$(NEEDS)),$(NEEDS))
FOUND	:= $(shell $(PKG_CONFIG) --libs $(PACKAGES))
LIBS	:= $(FOUND) -liberty
LIBS_CFLAGS := $(shell $(PKG_CONFIG) --cflags $(PACKAGES)) $(if $(SYSROOT),-I$(LIBMNL)/include)
LIBS_STATIC := $(shell $(PKG_CONFIG) --static --libs $(filter-out libmnl,$(NEEDS))) -liberty $(LIBMNL_A) \
	-Wl,--wrap=dlopen
STATIC_SRC := $(sort $(wildcard $(TOP)/userspace/tap/static/*.c))

# Its header is needed there as well, and so before anything is compiled.
ifdef SYSROOT
ifeq ($(wildcard $(LIBMNL_A)),)
$(info $(shell $(LIBMNL_FETCH)))
ifeq ($(wildcard $(LIBMNL_A)),)
$(error $(LIBMNL_A) is missing, and $(LIBMNL_FETCH) could not get it)
endif
endif
endif

# For scripts that link with libtap.a: "make -s -C userspace libs".
.PHONY: libs
libs:
	@echo '$(LIBS)'
