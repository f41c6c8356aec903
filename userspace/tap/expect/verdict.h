/* SPDX-License-Identifier: GPL-2.0 */
/*
 * What follows from the events that were seen and from the number of those that are missing.
 */
#ifndef _TOOL_EXPECT_VERDICT_H
#define _TOOL_EXPECT_VERDICT_H

#include "expect/judge.h"

/**
 * verdict_make() - the verdict
 * @j: after all events
 * @losses: what the file lacks
 * @to: set
 */
void verdict_make(const struct judge *j, const struct losses *losses, struct judgement *to);

#endif /* _TOOL_EXPECT_VERDICT_H */
