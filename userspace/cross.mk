# SPDX-License-Identifier: GPL-2.0
#
# ARCH=arm64: builds for another machine, with Debian's cross compiler and the
# libraries of its packages, which selftests/lab/fetch unpacks into the cache. All
# of it lands in build/$(ARCH) instead of build. Needs TOP; sets BUILD and CACHE.

BUILD	:= $(TOP)/build
CACHE	:= $(or $(TAPMOD_CACHE),$(HOME)/.cache/tapmod)
ifneq ($(filter-out amd64,$(ARCH)),)
ifneq ($(ARCH),arm64)
$(error ARCH=$(ARCH): amd64 or arm64)
endif
BUILD	:= $(TOP)/build/$(ARCH)
CROSS	:= aarch64-linux-gnu-
SYSROOT	:= $(CACHE)/sysroot-$(ARCH)
CC	:= $(CROSS)gcc
CXX	:= $(CROSS)g++
AR	:= $(CROSS)ar
STRIP	:= $(CROSS)strip
PKG_CONFIG := PKG_CONFIG_LIBDIR=$(SYSROOT)/usr/lib/aarch64-linux-gnu/pkgconfig \
	PKG_CONFIG_SYSROOT_DIR=$(SYSROOT) pkg-config

ifeq ($(shell command -v $(CC)),)
$(error $(CC) is missing; in Debian: apt install g++-aarch64-linux-gnu)
endif
ifeq ($(wildcard $(SYSROOT)),)
$(info $(shell $(TOP)/selftests/lab/fetch --arch $(ARCH) sysroot))
endif
endif
