/* SPDX-License-Identifier: LGPL-2.1 */
#ifndef _TAP_COMPILE_PROGRAM_H
#define _TAP_COMPILE_PROGRAM_H

#include <libtap.h>

#include "spec/ast.h"
#include "types/scope.h"

int tap_program_make(struct tap_spec *spec, const struct tap_ast *ast,
		     const struct tap_scope *scope, const char *of,
		     struct tap_error *err);

#endif /* _TAP_COMPILE_PROGRAM_H */
