/* SPDX-License-Identifier: LGPL-2.1 */
/*
 * System calls by name and number. Private to libtap and its tool.
 */
#ifndef _TAP_KERNEL_SYSCALLS_H
#define _TAP_KERNEL_SYSCALLS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

#include "types/scope.h"

/* The module does not accept numbers from here on. */
#define TAP_MAX_SYSCALLS	1024

/**
 * struct tap_syscall - a system call
 * @name: as in unistd.h, without __NR_
 * @nr: its number
 */
struct tap_syscall {
	const char *name;
	unsigned int nr;
};

const struct tap_syscall *tap_syscalls(size_t *nr);
int tap_syscall_number(const char *name, size_t len);
const char *tap_syscall_name(unsigned int nr);
bool tap_syscall_keeps_memory(const char *target);
bool tap_syscall_is_path(const char *argument);
struct tap_value_names *tap_syscall_value_names(void);

/* Arguments of system calls, by number of the system call. */
int tap_scope_syscalls(struct tap_scope *scope, const char *target,
		       struct tap_error *err);
void tap_syscall_read_format(FILE *file, struct tap_scope *scope);

#endif /* _TAP_KERNEL_SYSCALLS_H */
