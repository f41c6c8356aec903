/* SPDX-License-Identifier: GPL-2.0 */
/*
 * The texts of tap help TOPIC.
 */
#ifndef _TOOL_CMD_HELP_TOPICS_H
#define _TOOL_CMD_HELP_TOPICS_H

/**
 * struct help_topic - a topic
 * @name: as typed
 * @summary: a few words
 * @text: at most 80 columns wide; ends with a newline
 */
struct help_topic {
	const char *name;
	const char *summary;
	const char *text;
};

/* In the order in which tap help lists them; the last has no name. */
extern const struct help_topic help_topics[];

#endif /* _TOOL_CMD_HELP_TOPICS_H */
