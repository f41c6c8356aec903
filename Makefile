# SPDX-License-Identifier: GPL-2.0
VERSION := $(shell cat VERSION)
KDIR ?= /lib/modules/$(shell uname -r)/build
PREFIX ?= /usr/local
DESTDIR ?=
LAB := selftests/vm

# One version, said in two places that cannot include a third.
ifneq ($(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf),$(VERSION))
$(error dkms.conf and VERSION disagree on the version)
endif

all: modules userspace

help:
	@echo 'make                module for the running kernel (KDIR=...), libtap and tap'
	@echo 'make demo           a live trace in a virtual machine; needs nothing beforehand'
	@echo 'make check          all tests on all kernels; needs nothing beforehand'
	@echo 'make bench          what a hit costs, in instructions'
	@echo 'make style          checkpatch, sparse, shellcheck'
	@echo 'make install        tap, libtap and the manual pages (PREFIX=$(PREFIX))'
	@echo 'make dkms-install   the module, for this kernel and those to come'
	@echo 'make dkms-remove    takes it away again'
	@echo 'make clean'

modules:
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

userspace build/tap:
	$(MAKE) -C userspace

demo:
	$(LAB)/packages demo
	selftests/demo

check:
	$(LAB)/packages check
	selftests/check

bench:
	$(LAB)/packages demo
	selftests/bench/run

style:
	$(LAB)/packages check
	selftests/style

install: userspace
	$(MAKE) -C userspace install PREFIX=$(PREFIX) DESTDIR=$(DESTDIR)

# What a build needs, and nothing else: no tests, no user space.
DKMS_SRC := /usr/src/tapmod-$(VERSION)

dkms-install:
	@command -v dkms >/dev/null || { echo 'dkms is not installed: apt install dkms' >&2; exit 1; }
	rm -rf $(DKMS_SRC)
	install -d $(DKMS_SRC)
	cp -a Kbuild dkms.conf VERSION module uapi $(DKMS_SRC)
	find $(DKMS_SRC) -name '*.o' -o -name '.*.cmd' | xargs -r rm
	dkms install tapmod/$(VERSION) $(if $(KERNEL),-k $(KERNEL))

dkms-remove:
	dkms remove tapmod/$(VERSION) --all
	rm -rf $(DKMS_SRC)

clean:
	rm -rf build
	find . -path ./build -prune -o \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o \
		-name '*.mod.c' -o -name '.*.cmd' -o -name modules.order -o \
		-name Module.symvers \) -print | xargs -r rm -f

.PHONY: all help modules userspace build/tap demo check bench style install \
	dkms-install dkms-remove clean
