// The part of a driver that all kernel libraries share: it reads cases, makes data, runs the kernel with its
// tensors apart and overlapped, and says where the results are the same.
//
// A driver includes this file and defines
//
//	static int kernel(const void *operand, void *result);   0 if the library took the case
//	static void prepare(void);                               what the kernel needs besides its tensors
//
// Input: a file "cases" with the number of data sets and whether to sweep, then for each case the fields of
// struct kind below in order, a number of distances and the distances.
//
// Output for each case: its number, the library's status, the least distance from which on all distances are right
// with every data set ("-" if not asked for), then for each distance of the case the number of data sets
// with which the result is right.
//
// With 2 instead of a sweep, the cases are the operators of a model: see chain.
//
// A sweep starts with the operand right above the result and comes down a byte at a time until a data set
// goes wrong; then it tries the others from there. Data can miss what a trace sees (an element that is
// overwritten by an equal one), so this is a lower bound.

#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "places.h"

#define MOST 98304 // bytes of a tensor

static struct kind {
    int op, bits;          // what, and the bits of an operand's element; 4: 8 with weights of 4
    int n, h, w, ci, co;   // image, channels of the result
    int kh, kw, sh, sw;    // filter, stride
    int ph, pw, oh, ow;    // padding before, size of the result
    int dh, dw, mult;      // dilation; multiplier of channels or number of groups
    int outer, flag;       // of an operator's own
    int terms, channels;   // products in a sum, and channels that have weights and scales
    int si, so;            // bytes of the traced operand and of the result
} t;

#ifdef BARE
void emit(const char *);
int load(const char *, char *, int);
static int8_t *const operand = (int8_t *)OPERAND, *const result = (int8_t *)RESULT, *const arena = (int8_t *)ARENA;
static int8_t *const chains = (int8_t *)CHAIN;
static char *const text = (char *)CASES;
#define TEXT 0x400000
static void start(void) { *(volatile uint32_t *)MAILBOX = 1; }
static void stop(void) { *(volatile uint32_t *)(MAILBOX + 4) = 1; }
#else
static int8_t operand_[MOST], result_[MOST], arena_[5 * MOST];
static int8_t *const operand = operand_, *const result = result_, *const arena = arena_ + MOST;
#define TEXT 0x4000000
static char text[TEXT];
static int8_t chains[2 * CHAIN_SIZE];
static void emit(const char *s) { fputs(s, stdout); }
static int load(const char *name, char *to, int most)
{
    FILE *f = fopen(name, "rb");
    return f ? (int)fread(to, 1, (size_t)most, f) : -1;
}
static void start(void) {}
static void stop(void) {}
#endif

static int8_t weights[131072] __attribute__((aligned(16))), second[16384] __attribute__((aligned(16)));
static int8_t scratch[131072] __attribute__((aligned(16)));
static const int8_t *other = second; // the second operand
static int64_t wide[1024];
static int32_t bias[1024], multiplier[1024], shift[1024];

static uint32_t state = 1;
static uint32_t next(void)
{
    state ^= state << 13, state ^= state >> 17, state ^= state << 5;
    return state;
}

static int kernel(const void *, void *);
static void prepare(void);

// constants fills weights, biases and scales from the present state. The scales are such that sums of so many
// products fill the range of a result and hardly leave it.
static void constants(void)
{
    int terms = t.terms, channels = t.channels;
    for (unsigned i = 0; i < sizeof weights && (int)i < terms * channels + 64; i++)
        weights[i] = (int8_t)((int)((next() >> 9) % 127) - 63);
    int down = 0, root = 1;
    while (root * root < terms)
        root++;
    for (int range = 37 * root; range > 1; range /= 2)
        down--;
    for (int i = 0; i < channels && i < 1024; i++) {
        bias[i] = (int32_t)(next() >> 5) % 2000;
        wide[i] = bias[i];
        multiplier[i] = 0x50000000 + (int32_t)(next() & 0xfffffff);
        shift[i] = down + 1;
    }
}

static void sow(int set)
{
    state = 2463534242u + 7919u * (uint32_t)set;
    for (int i = 0; i < 20; i++)
        next();
}

// data fills the operands and the constants of a data set.
static void data(int set)
{
    sow(set);
    for (int i = 0; i < t.si; i++)
        operand[i] = (int8_t)(next() >> 11);
    for (unsigned i = 0; i < sizeof second && (int)i < t.si; i++)
        second[i] = (int8_t)(next() >> 11);
    constants();
}

static char line[400];
static unsigned used;
static void put(long n, int given)
{
    if (used < sizeof line)
        used += (unsigned)snprintf(line + used, sizeof line - used, given ? " %ld" : " -", n);
}

// right reports whether the result at a distance is the one with the tensors apart, with the present data set.
static int right(long distance)
{
    int8_t *y = arena + MOST, *x = y + distance, *low = (distance < 0 ? x : y) - 64;
    long top = distance + t.si > t.so ? distance + t.si : t.so;
    for (int8_t *p = low; p < y + top + 64; p++)
        *p = (int8_t)(next() >> 11);
    memcpy(x, operand, (size_t)t.si);
    return kernel(x, y) == 0 && memcmp(y, result, (size_t)t.so) == 0;
}

// apart runs a data set with the tensors apart.
static int apart(int set, int traced)
{
    data(set);
    prepare();
    memset(result, 77, (size_t)t.so);
    if (traced)
        start();
    int status = kernel(operand, result);
    if (traced)
        stop();
    return status;
}

// least sweeps.
static long least(int sets)
{
    long d = t.so;
    apart(0, 0);
    while (d >= -t.si && right(d))
        d--;
    for (int set = 1; set < sets; set++) {
        apart(set, 0);
        for (long up = t.so; up > d; up--)
            if (!right(up))
                d = up;
    }
    return d + 1;
}

// number reads a number of the text, call the fields of a case.
static char *at;
static int number(void) { return (int)strtol(at, &at, 10); }
static void call(void)
{
    for (unsigned i = 0; i < sizeof t / sizeof(int); i++)
        ((int *)&t)[i] = number();
}

// chain runs the operators of a model one after the other in two arenas. For each set of inputs it says which
// operator is the first whose result differs (-1: none), and how many have results that are not all one byte.
//
// Input: the number of operators, the bytes of the model's input, and its two offsets; then for each operator its
// call, then the offsets of its operand, second operand (-1: none) and result in both arenas. An operator
// COPY copies, unless the two lie at one place.
#define COPY 100
#define OPERATORS 256
static uint32_t sums[OPERATORS];
static uint32_t sum(const int8_t *y, int n) // FNV-1a
{
    uint32_t h = 2166136261u;
    for (int i = 0; i < n; i++)
        h = (h ^ (uint8_t)y[i]) * 16777619u;
    return h;
}
static void chain(int sets)
{
    int operators = number(), in = number(), from[2];
    from[0] = number(), from[1] = number();
    char *first = at;
    for (int set = 0; set < sets; set++) {
        int status = operators > OPERATORS ? -1 : 0, wrong = -1, lively = 0;
        for (int plan = 0; plan < 2; plan++) {
            int8_t *base = chains + plan * CHAIN_SIZE;
            sow(1000 + set + 100 * plan);
            for (int i = 0; i < CHAIN_SIZE; i++)
                base[i] = (int8_t)(next() >> 11);
            sow(set);
            for (int i = 0; i < in; i++)
                base[from[plan] + i] = (int8_t)(next() >> 11);
            at = first;
            for (int k = 0; k < operators && status == 0; k++) {
                int offset[2][3];
                call();
                for (int i = 0; i < 6; i++)
                    offset[i / 3][i % 3] = number();
                int8_t *x = base + offset[plan][0], *y = base + offset[plan][2];
                sow(50 + k);
                constants();
                prepare();
                other = offset[plan][1] < 0 ? second : base + offset[plan][1];
                if (t.op != COPY)
                    status = kernel(x, y);
                else if (x != y)
                    memcpy(y, x, (size_t)t.so);
                uint32_t s = sum(y, t.so);
                if (plan == 0)
                    sums[k] = s;
                else if (s != sums[k] && wrong < 0)
                    wrong = k;
                int same = 1;
                while (plan == 0 && same < t.so && y[same] == y[0])
                    same++;
                lively += plan == 0 && same < t.so;
            }
        }
        used = 0;
        put(set, 1), put(status, 1), put(wrong, 1), put(lively, 1);
        line[used++] = '\n', line[used] = 0;
        emit(line);
    }
}

int main(void)
{
    int length = load("cases", text, TEXT - 1);
    if (length < 0) {
        emit("no file \"cases\"\n");
        return 1;
    }
    text[length] = 0;
    at = text;
    int sets = number(), sweep = number();
    if (sweep == 2)
        chain(sets);
    for (int k = 0; sweep < 2; k++) {
        call();
        if (t.si <= 0)
            break; // the end of the text reads as zeros
        long distances[16];
        int count = number();
        for (int i = 0; i < count; i++)
            distances[i % 16] = strtol(at, &at, 10);
        used = 0;
        int fits = t.si <= MOST && t.so <= MOST && t.terms * t.channels <= (int)sizeof weights - 64;
        int status = fits ? apart(0, 1) : -99;
        put(k, 1);
        put(status, 1);
        long d = status == 0 && sweep ? least(sets) : 0;
        put(d, status == 0 && sweep);
        int good[16] = {0};
        for (int set = 0; set < sets && status == 0 && count > 0; set++) {
            apart(set, 0);
            for (int i = 0; i < count; i++)
                good[i] += right(distances[i]);
        }
        for (int i = 0; i < count; i++)
            put(good[i], 1);
        if (used > sizeof line - 2)
            used = sizeof line - 2;
        line[used++] = '\n', line[used] = 0;
        emit(line);
    }
    emit("done\n");
    return 0;
}
