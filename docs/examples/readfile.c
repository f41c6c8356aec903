// SPDX-License-Identifier: GPL-2.0 OR MIT
/*
 * Reads a trace file and adds up a value of its events. It needs no module and no privilege.
 *
 *	tap record -o dd.tap -e 'kprobe:vfs_read count' -c 'dd if=/dev/zero of=/dev/null count=100'
 *	./readfile dd.tap count
 */
#include <libtap.h>

int main(int argc, char **argv)
{
	struct tap_reader_counts counts = { .size = sizeof(counts) };
	const struct tap_timebase *clock;
	const struct tap_file_info *info;
	const struct tap_probes *probes;
	const struct tap_field *field;
	struct tap_file_reader *file;
	__u64 events = 0, sum = 0, first = 0, last = 0;
	struct tap_error err;
	struct tap_event ev;

	if (argc != 3)
		return fprintf(stderr, "usage: readfile FILE FIELD\n"), 2;
	if (tap_file_open(&file, argv[1], &err))
		return fprintf(stderr, "readfile: %s\n", err.text), 1;

	/* All that was known when the file was recorded is in it. */
	info = tap_file_info(file);
	probes = tap_file_probes(file);
	clock = tap_file_timebase(file);
	printf("recorded on %s %s: %s\n", info->sysname, info->release, info->command);
	for (size_t i = 0; i < tap_probes_nr(probes); i++)
		printf("probe %s\n", tap_probe_event(tap_probes_get(probes, i)));

	/* The events of all CPUs, in the order of their times. */
	while (tap_file_next(file, &ev) == 1) {
		/* It sets ev.probe; gap records (losses) and notices have none. */
		if (tap_decode(probes, &ev) || !ev.probe)
			continue;
		events++;
		last = tap_timebase_mono(clock, ev.time);
		first = first ? first : last;
		/*
		 * A record is an array of words. A field names the words of its value: here one,
		 * a number. A value is absent if the kernel could not read it.
		 */
		field = tap_probe_find_field(ev.probe, argv[2]);
		if (field && field->words == 1 && !tap_event_absent(&ev, field))
			sum += tap_event_word(&ev, field->word);
	}

	/* The losses are in the file, and so is an early end of the recording. */
	tap_file_counts(file, &counts);
	printf("%llu events in %llu ms, %llu lost, sum of %s %llu\n", events,
	       (last - first) / 1000000, counts.lost, argv[2], sum);
	if (tap_file_cut(file))
		printf("%s\n", tap_file_cut(file));
	tap_file_close(file);
	return 0;
}
