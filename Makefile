# SPDX-License-Identifier: GPL-2.0
VERSION := $(shell cat VERSION)
KERNEL ?= $(shell uname -r)
KDIR ?= /lib/modules/$(KERNEL)/build
PREFIX ?= /usr/local
DESTDIR ?=
LAB := selftests/lab

# One version, said in two places that cannot include a third.
ifneq ($(shell sed -n 's/^PACKAGE_VERSION="\(.*\)"/\1/p' dkms.conf),$(VERSION))
$(error dkms.conf and VERSION disagree on the version)
endif

all: modules userspace

help:
	@echo 'make                build the module for the running kernel (KERNEL=..., KDIR=...), libtap and tap'
	@echo 'make demo           show a live trace in a virtual machine; fetches what it needs'
	@echo
	@echo 'make test           run all tests that need no virtual machine; 6 processor-minutes'
	@echo 'make check          run the tests that every change must pass, on all kernels; an hour or more'
	@echo 'make full           run every test there is; many hours'
	@echo
	@echo 'make style          run the static checks: checkpatch, sparse, shellcheck, rooms'
	@echo 'make check-kernels  run the module tests on 5.10, 7.3 and the real-time kernels; an hour'
	@echo 'make torture        run the module on debug kernels, with stress and injected failures (docs/testing.md)'
	@echo 'make lab-debug      compile those debug kernels, ten minutes; make torture does it by itself'
	@echo 'make litmus         check the pairs of barriers by the kernel memory model; a minute'
	@echo 'make fuzz           fuzz the parsers of user space, FUZZ_SECONDS (60) for each of six'
	@echo 'make recipes-docs   write docs/recipes/ anew: runs each recipe in the lab; a minute'
	@echo 'make bench          count the instructions of an event, and compare with other tracers'
	@echo
	@echo 'make install        install tap, libtap and the manual pages (PREFIX=$(PREFIX))'
	@echo 'make uninstall      remove them'
	@echo 'make dkms-install   install the module with DKMS, for this kernel and later ones'
	@echo 'make dkms-remove    remove it'
	@echo 'make deb            build Debian packages in clean systems of Debian 12 and 13 (as root)'
	@echo 'make clean          delete everything that was built'
	@echo
	@echo 'selftests/README.md says how to run a single test.'

modules:
	@test -e $(KDIR)/Makefile || { echo 'no kernel headers in $(KDIR):' \
		'apt install linux-headers-$(KERNEL), or say where they are with KDIR=...' >&2; exit 1; }
	$(MAKE) -C $(KDIR) M=$(CURDIR) modules

userspace:
	$(MAKE) -C userspace

build/tap:
	$(MAKE) -C userspace static

demo:
	$(LAB)/packages demo
	selftests/tool/demo

test:
	$(LAB)/packages check
	selftests/check --gate test

check:
	$(LAB)/packages check fuzz
	selftests/check --gate check

full:
	$(LAB)/packages check fuzz
	selftests/check --gate full

check-kernels:
	$(LAB)/packages check
	$(MAKE) -s -C selftests/module guest
	selftests/check 'every:*'

litmus:
	selftests/ring/litmus/run

fuzz:
	$(LAB)/packages fuzz
	selftests/lib/fuzz/run -t $(or $(FUZZ_SECONDS),60)

torture: lab-debug
	$(LAB)/packages check
	selftests/torture/run

lab-debug:
	$(LAB)/fetch 6.12-kasan 6.12-kcsan

recipes-docs:
	$(LAB)/packages demo
	selftests/tool/recipes-docs

bench:
	$(LAB)/packages demo
	selftests/bench/cost-table
	selftests/bench/start-up
	selftests/bench/whole-way

style:
	$(LAB)/packages check
	selftests/static/run

install uninstall:
	$(MAKE) -C userspace $@ 'PREFIX=$(PREFIX)' 'DESTDIR=$(abspath $(DESTDIR))'

# What a build needs, and nothing else: no tests, no user space. What is installed already makes
# way, whatever its version: DKMS would keep what it once built from other sources. It builds for
# further kernels of the host as they are booted or installed.
DKMS_SRC := /usr/src/tapmod-$(VERSION)

# The PATH of a plain su lacks these.
dkms-install dkms-remove dkms-usable: export PATH := $(PATH):/usr/sbin:/sbin

dkms-install: dkms-usable
	@test -e /lib/modules/$(KERNEL)/build/Makefile || { echo 'no headers of kernel $(KERNEL):' \
		'apt install linux-headers-$(KERNEL), or name another with KERNEL=...' >&2; exit 1; }
	@$(MAKE) --no-print-directory dkms-remove
	install -d $(DKMS_SRC)
	cp -r --preserve=timestamps Kbuild dkms.conf VERSION module uapi $(DKMS_SRC)
	find $(DKMS_SRC) \( -name '*.o' -o -name '*.mod' -o -name '.*.cmd' \) -delete
	chmod -R u=rwX,go=rX $(DKMS_SRC)
	dkms install tapmod/$(VERSION) -k $(KERNEL)
	dkms status tapmod

dkms-remove: dkms-usable
	@for version in $$(dkms status tapmod | sed -n 's|^tapmod/\([^,:]*\).*|\1|p' | sort -u); do \
		echo "dkms remove tapmod/$$version --all"; \
		dkms remove "tapmod/$$version" --all || exit; \
	done
	rm -rf /usr/src/tapmod-*

dkms-usable:
	@command -v dkms >/dev/null || { echo 'dkms is not installed: apt install dkms' >&2; exit 1; }
	@[ "$$(id -u)" = 0 ] || { echo 'DKMS writes to /usr/src and /lib/modules: run this as root' >&2; exit 1; }

deb:
	packaging/build

clean:
	rm -rf build
	find . -path ./build -prune -o \( -name '*.o' -o -name '*.ko' -o -name '*.mod' -o \
		-name '*.mod.c' -o -name '.*.cmd' -o -name modules.order -o \
		-name Module.symvers \) -print | xargs -r rm -f

.PHONY: all help modules userspace build/tap demo test check full check-kernels litmus fuzz torture lab-debug recipes-docs bench style install \
	uninstall dkms-install dkms-remove dkms-usable deb clean
