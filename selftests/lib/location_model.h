/* SPDX-License-Identifier: GPL-2.0 */
/*
 * Locations of DWARF on a machine of numbers: what tap_dwarf_locate() makes of a location must have
 * the result that the location itself has there.
 */
#ifndef _TEST_LIB_LOCATION_MODEL_H
#define _TEST_LIB_LOCATION_MODEL_H

#include "dwarf/source.h"

/**
 * enum location_verdict - how a variable compares
 * @LOCATION_SAME: the same address or value, with each content of registers and memory
 * @LOCATION_NONE: both have no location there
 * @LOCATION_REFUSED: libtap refuses it by name, and the model does not know it either
 * @LOCATION_TIMID: libtap refuses it, and the model can compute it
 * @LOCATION_WRONG: anything else
 */
enum location_verdict {
	LOCATION_SAME, LOCATION_NONE, LOCATION_REFUSED, LOCATION_TIMID, LOCATION_WRONG,
	NR_LOCATION_VERDICTS,
};

/* @text gets a message if the verdict is LOCATION_TIMID or LOCATION_WRONG. */
enum location_verdict location_compare(Dwfl_Module *mod, const struct tap_dwarf_place *place,
				       const struct tap_dwarf_variable *variable, char *text,
				       size_t size);

#endif /* _TEST_LIB_LOCATION_MODEL_H */
