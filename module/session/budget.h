/* SPDX-License-Identifier: GPL-2.0 */
#ifndef _TAPMOD_SESSION_BUDGET_H
#define _TAPMOD_SESSION_BUDGET_H

struct tap_budget;
struct tapmod_session;

void tap_budget_init(struct tapmod_session *session);
int tap_budget(struct tapmod_session *session, struct tap_budget *budget);
void tap_budget_start(struct tapmod_session *session);
void tap_budget_end(struct tapmod_session *session);
void tap_budget_stop(struct tapmod_session *session);
void tap_budget_free(struct tapmod_session *session);

#endif /* _TAPMOD_SESSION_BUDGET_H */
