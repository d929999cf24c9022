/* stowage_place.c: see stowage_place.h. C99, freestanding.
 *
 * Idea: each buffer lies at the highest end among those below it, rounded up to its alignment. The words of an order
 * have a record for each buffer, those below it before (model/order.go):
 *
 *	magic, buffers, then: index | count << 8 | kind | two words if kind is 62 or 63 | the count indices below it
 *
 * kind is the exponent of the alignment; after 62 the alignment follows, after 63 the fixed offset.
 *
 * Most buffers lie above one other. Their record has a branch of its own, so that a processor that predicts it knows where
 * the next record begins before it has read this one: that halves the time.
 *
 * Complexity: O(buffers + pairs).
 */
#include "stowage_place.h"

#define MAGIC UINT32_C(0x73746f31)
#define MOST (INT64_MAX / 4)
#define ALIGNED 62 /* the first kind after which two words follow */

static int64_t both(const uint32_t *w) { return (int64_t)((uint64_t)w[0] | (uint64_t)w[1] << 32); }

int64_t stowage_place(const uint32_t *order, const int64_t *sizes, int64_t *offsets)
{
	const uint32_t *w = order + 2;
	int64_t height = 0;
	for (uint32_t n = order[1]; n > 0; n--) {
		const uint32_t buffer = w[0], kind = w[1] & 255, count = w[1] >> 8;
		const int64_t value = kind < ALIGNED ? (int64_t)1 << kind : both(w + 2);
		int64_t at = 0;
		if (count == 1 && kind < ALIGNED) {
			at = (offsets[w[2]] + sizes[w[2]] + value - 1) & -value;
			w += 3;
		} else {
			w += kind < ALIGNED ? 2 : 4;
			for (uint32_t k = 0; k < count; k++) {
				const int64_t end = offsets[w[k]] + sizes[w[k]];
				at = end > at ? end : at;
			}
			w += count;
			if (kind < ALIGNED) {
				at = (at + value - 1) & -value;
			} else if (kind == ALIGNED) {
				at = (at + value - 1) / value * value;
			} else if (at > value) {
				return -1;
			} else {
				at = value;
			}
		}
		offsets[buffer] = at;
		at += sizes[buffer];
		height = at > height ? at : height;
	}
	return height;
}

int stowage_order_valid(const uint32_t *order, size_t words, uint32_t buffers, unsigned char *seen)
{
	size_t at = 2;
	int64_t room = MOST; /* what alignments may add; with sizes and a fixed offset the sum is below 3 MOST */
	if (words < 2 || order[0] != MAGIC || order[1] != buffers) {
		return 0;
	}
	for (uint32_t k = 0; k < buffers; k++) {
		seen[k] = 0;
	}
	for (uint32_t n = 0; n < buffers; n++) {
		if (words - at < 2 || order[at] >= buffers || seen[order[at]]) {
			return 0;
		}
		const uint32_t buffer = order[at], kind = order[at + 1] & 255, count = order[at + 1] >> 8;
		const size_t more = kind < ALIGNED ? 0 : 2;
		at += 2;
		if (kind > 63 || words - at < more) {
			return 0;
		}
		const int64_t value = more ? both(order + at) : (int64_t)1 << kind;
		if (kind == 63 ? value < 0 || value > MOST : value < 1 || value - 1 > room) {
			return 0;
		}
		room -= kind == 63 ? 0 : value - 1;
		at += more;
		if (words - at < count) {
			return 0;
		}
		for (uint32_t k = 0; k < count; k++) {
			if (order[at + k] >= buffers || !seen[order[at + k]]) {
				return 0;
			}
		}
		at += count;
		seen[buffer] = 1;
	}
	return at == words;
}
