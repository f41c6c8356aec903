// SPDX-License-Identifier: LGPL-2.1
/*
 * /dev/tap: opens it, and has the kernel load the module if that is missing.
 */
#include <errno.h>
#include <fcntl.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <libtap/netlink.h>

#include "session/device.h"
#include "util/util.h"

/* udev gives a new device to its group; at most so many times 10 ms are waited for that. */
#define UDEV_TRIES	200
#define UDEV_PAUSE_US	10000

/* The first line of a small file, "" if it cannot be read. */
static void read_line(const char *path, char *line, size_t size)
{
	int fd = open(path, O_RDONLY | O_CLOEXEC);
	ssize_t len = fd < 0 ? -1 : read(fd, line, size - 1);

	if (fd >= 0)
		close(fd);
	line[len < 0 ? 0 : len] = '\0';
	line[strcspn(line, "\n")] = '\0';
}

/* Whether the kernel was booted with module.sig_enforce, or is locked down, as with secure boot. */
static bool signed_only(void)
{
	char enforce[8], lockdown[64];

	read_line("/sys/module/module/parameters/sig_enforce", enforce, sizeof(enforce));
	read_line("/sys/kernel/security/lockdown", lockdown, sizeof(lockdown));
	return *enforce == 'Y' || (*lockdown && !strstr(lockdown, "[none]"));
}

/*
 * Any process may ask for the module: for a family that is missing the kernel runs modprobe with the
 * alias net-pf-16-proto-16-family-tap, and waits for it.
 */
static void load_module(void)
{
	struct tap_netlink *nl;

	/* In a network namespace of its own it fails, though the kernel has loaded the module. */
	if (!tap_netlink_open(&nl, NULL))
		tap_netlink_close(nl);
}

/* Whether a group other than root's may use the device: a udev rule says so. */
static bool for_group(void)
{
	struct stat st;

	return !stat(TAP_DEVICE, &st) && st.st_gid && (st.st_mode & 060) == 060;
}

static int explain_open(struct tap_error *err, int code)
{
	switch (-code) {
	case ENOENT:
	case ENXIO:
	case ENODEV:
		if (signed_only())
			return tap_error_set(err, code,
					     "%s is not there: the module is not loaded, and this kernel loads signed modules only; DKMS signs tapmod with a key that must be enrolled once: 'mokutil --import /var/lib/dkms/mok.pub', then reboot; 'modprobe tapmod' prints the kernel's reason",
					     TAP_DEVICE);
		return tap_error_set(err, code,
				     "%s is not there: the module is not loaded; 'modprobe tapmod', or 'insmod tapmod.ko' from where it was built",
				     TAP_DEVICE);
	case EACCES:
		return tap_error_set(err, code, "%s: permission denied; run it as root%s",
				     TAP_DEVICE, for_group() ?
				     ", or as a member of the device's group: 'ls -l " TAP_DEVICE "' names it" : "");
	case EPERM:
		return tap_error_set(err, code,
				     "%s: not permitted: it needs CAP_PERFMON (run it as root), the first pid namespace (no container), and a kernel that is not locked down (/sys/kernel/security/lockdown)",
				     TAP_DEVICE);
	case EMFILE:
	case ENFILE:
		return tap_error_set(err, code,
				     "%s: too many open files (ulimit -n)",
				     TAP_DEVICE);
	}
	return tap_error_set(err, code, "%s: %s", TAP_DEVICE, strerror(-code));
}

static int open_device(void)
{
	int fd = open(TAP_DEVICE, O_RDWR | O_CLOEXEC);

	return fd < 0 ? -errno : fd;
}

/**
 * tap_device_open() - open the device; loads the module if it is installed and not loaded
 * @err: the reason of a failure, with the remedy
 *
 * Return: a descriptor, or -errno.
 */
int tap_device_open(struct tap_error *err)
{
	int fd = open_device(), i;

	if (fd == -ENOENT || fd == -ENXIO || fd == -ENODEV) {
		load_module();
		fd = open_device();
		for (i = 0; fd == -EACCES && i < UDEV_TRIES; i++) {
			usleep(UDEV_PAUSE_US);
			fd = open_device();
		}
	}
	return fd < 0 ? explain_open(err, fd) : fd;
}
