/* stowage_place.h: offsets of buffers whose sizes are known only at run time, from an order that Stowage planned.
 *
 * An order says above which others each buffer lies. 'stowage solve -o order.h FILE' writes it as a table for a problem
 * with sizes that vary. Whatever the sizes, buffers that are live together do not overlap, and no height is above the
 * one at the largest sizes.
 *
 *	#include "order.h"                         // the table model_order, and MODEL_BUFFERS
 *	int64_t sizes[MODEL_BUFFERS] = {…}, offsets[MODEL_BUFFERS];
 *	int64_t height = stowage_place(model_order, sizes, offsets);
 *
 * Sizes and offsets are in the order of the buffers of the problem. Nothing is allocated, and no state is kept.
 */
#ifndef STOWAGE_PLACE_H
#define STOWAGE_PLACE_H

#include <stddef.h>
#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

/* Returns the highest offset + size, or -1 if a buffer would lie above a fixed offset, because sizes are larger than
 * those that were planned. The order must be one that stowage_order_valid accepts, each size from 0 to
 * INT64_MAX / 4 / buffers. */
int64_t stowage_place(const uint32_t *order, const int64_t *sizes, int64_t *offsets);

/* Whether words are an order of this many buffers: for an order from outside of the program. No fixed offset, and no sum
 * of alignments, is above INT64_MAX / 4. seen has room for a byte for each buffer. */
int stowage_order_valid(const uint32_t *order, size_t words, uint32_t buffers, unsigned char *seen);

#ifdef __cplusplus
}
#endif

#endif
