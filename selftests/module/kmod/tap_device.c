// SPDX-License-Identifier: GPL-2.0
/*
 * A driver with a platform device, for the recipes of tap run. A word written to the parameter "act" does
 * what other drivers do:
 *	dma		maps three buffers and allocates two coherent ones; one of each stays
 *	firmware	asks for a file that is not there
 *	pm		resumes and suspends the device
 *	items		makes five items and frees four; takes four references of one and puts three
 *	fail		calls gadget_start(), which fails in gadget_check()
 *	reprobe		unbinds the driver from its device, and binds it again
 * What stays goes when the module is unloaded.
 */
#include <linux/device.h>
#include <linux/dma-mapping.h>
#include <linux/err.h>
#include <linux/firmware.h>
#include <linux/kernel.h>
#include <linux/module.h>
#include <linux/moduleparam.h>
#include <linux/platform_device.h>
#include <linux/pm_runtime.h>
#include <linux/slab.h>
#include <linux/string.h>

#define GADGET_BYTES	256
#define GADGET_BUFFERS	3
#define GADGET_ITEMS	5

struct gadget_item {
	int refs;
};

static struct platform_device *gadget_made;
static struct gadget_item *gadget_kept;
static void *gadget_buffer, *gadget_coherent;
static dma_addr_t gadget_mapped, gadget_address;

/* The tests probe these by name. */
static noinline __noclone int gadget_check(int level)
{
	return level > 2 ? -EINVAL : level;
}

static noinline __noclone int gadget_start(int level)
{
	return gadget_check(level) < 0 ? -EINVAL : level;
}

static noinline __noclone struct gadget_item *gadget_new(void)
{
	return kzalloc(sizeof(struct gadget_item), GFP_KERNEL);
}

static noinline __noclone void gadget_delete(struct gadget_item *item)
{
	kfree(item);
}

static noinline __noclone void gadget_get_item(struct gadget_item *item)
{
	WRITE_ONCE(item->refs, item->refs + 1);
}

static noinline __noclone void gadget_put_item(struct gadget_item *item)
{
	WRITE_ONCE(item->refs, item->refs - 1);
}

static int gadget_items(void)
{
	struct gadget_item *items[GADGET_ITEMS];
	int i;

	for (i = 0; i < GADGET_ITEMS; i++)
		items[i] = gadget_new();
	for (i = 1; i < GADGET_ITEMS; i++) {
		if (items[0])
			gadget_get_item(items[0]);
		if (items[0] && i > 1)
			gadget_put_item(items[0]);
		gadget_delete(items[i]);
	}
	kfree(gadget_kept);
	gadget_kept = items[0];
	return gadget_kept ? 0 : -ENOMEM;
}

static void gadget_unmap(struct device *dev)
{
	if (gadget_buffer)
		dma_unmap_single(dev, gadget_mapped, GADGET_BYTES, DMA_TO_DEVICE);
	kfree(gadget_buffer);
	gadget_buffer = NULL;
	if (gadget_coherent)
		dma_free_coherent(dev, GADGET_BYTES, gadget_coherent, gadget_address);
	gadget_coherent = NULL;
}

static int gadget_dma(struct device *dev)
{
	dma_addr_t address;
	void *buffer;
	int i;

	gadget_unmap(dev);
	for (i = 0; i < GADGET_BUFFERS; i++) {
		buffer = kmalloc(GADGET_BYTES, GFP_KERNEL);
		if (!buffer)
			return -ENOMEM;
		address = dma_map_single(dev, buffer, GADGET_BYTES, DMA_TO_DEVICE);
		if (dma_mapping_error(dev, address)) {
			kfree(buffer);
			return -EIO;
		}
		if (!i) {
			gadget_buffer = buffer;
			gadget_mapped = address;
			continue;
		}
		dma_unmap_single(dev, address, GADGET_BYTES, DMA_TO_DEVICE);
		kfree(buffer);
	}
	gadget_coherent = dma_alloc_coherent(dev, GADGET_BYTES, &gadget_address, GFP_KERNEL);
	buffer = dma_alloc_coherent(dev, GADGET_BYTES, &address, GFP_KERNEL);
	if (buffer)
		dma_free_coherent(dev, GADGET_BYTES, buffer, address);
	return buffer && gadget_coherent ? 0 : -ENOMEM;
}

static int gadget_firmware(struct device *dev)
{
	const struct firmware *firmware;
	int ret = request_firmware_direct(&firmware, "tap_device.bin", dev);

	if (!ret)
		release_firmware(firmware);
	return ret == -ENOENT ? 0 : ret;
}

static int gadget_power(struct device *dev)
{
	int ret = pm_runtime_get_sync(dev);

	return ret < 0 ? ret : pm_runtime_put_sync(dev);
}

static int gadget_reprobe(struct device *dev)
{
	device_release_driver(dev);
	return device_attach(dev) == 1 ? 0 : -ENODEV;
}

static int gadget_param(const char *text, const struct kernel_param *param)
{
	struct device *dev = &gadget_made->dev;

	if (sysfs_streq(text, "dma"))
		return gadget_dma(dev);
	if (sysfs_streq(text, "firmware"))
		return gadget_firmware(dev);
	if (sysfs_streq(text, "pm"))
		return gadget_power(dev);
	if (sysfs_streq(text, "items"))
		return gadget_items();
	if (sysfs_streq(text, "fail"))
		return gadget_start(1) == 1 && gadget_start(3) == -EINVAL ? 0 : -EIO;
	if (sysfs_streq(text, "reprobe"))
		return gadget_reprobe(dev);
	return -EINVAL;
}

static const struct kernel_param_ops gadget_ops = { .set = gadget_param };

module_param_cb(act, &gadget_ops, NULL, 0200);

static void gadget_end(void *dev)
{
	pm_runtime_disable(dev);
}

static int gadget_probe(struct platform_device *pdev)
{
	struct device *dev = &pdev->dev;

	pm_runtime_enable(dev);
	return devm_add_action_or_reset(dev, gadget_end, dev);
}

static int gadget_suspend(struct device *dev)
{
	return 0;
}

static const struct dev_pm_ops gadget_pm = { .runtime_suspend = gadget_suspend, .runtime_resume = gadget_suspend };

static struct platform_driver gadget_driver = {
	.probe = gadget_probe,
	.driver = { .name = "tap_device", .pm = &gadget_pm },
};

static int __init gadget_init(void)
{
	const struct platform_device_info info = {
		.name = "tap_device", .id = PLATFORM_DEVID_NONE, .dma_mask = DMA_BIT_MASK(64),
	};
	int ret = platform_driver_register(&gadget_driver);

	if (ret)
		return ret;
	gadget_made = platform_device_register_full(&info);
	if (!IS_ERR(gadget_made))
		return 0;
	platform_driver_unregister(&gadget_driver);
	return PTR_ERR(gadget_made);
}

static void __exit gadget_exit(void)
{
	gadget_unmap(&gadget_made->dev);
	kfree(gadget_kept);
	platform_device_unregister(gadget_made);
	platform_driver_unregister(&gadget_driver);
}

module_init(gadget_init);
module_exit(gadget_exit);
MODULE_DESCRIPTION("A driver that does what others do, for the recipes");
MODULE_LICENSE("GPL");
