// What the drivers share: reading an operator as internal/testkit/scratchcase writes it, and padding.
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct {
    char type[16]; // "" if it is left out
    int constant, rank;
    int dims[8];
} tensor;

typedef struct {
    char kind[40];
    int stride[2], dilation[2], same, multiplier;
    int per_channel;
    tensor in[24], out;
    int inputs;
} operator_t;

static int is(const tensor *t, const char *type) { return !strcmp(t->type, type); }

static int elements(const tensor *t)
{
    int n = 1;
    for (int k = 0; k < t->rank; k++) n *= t->dims[k];
    return n;
}

static int last(const tensor *t) { return t->dims[t->rank - 1]; }

static void read_tensor(char *word, tensor *t)
{
    memset(t, 0, sizeof *t);
    char *at = strpbrk(word, ":!");
    if (!at) return;
    t->constant = *at == '!';
    *at++ = 0;
    snprintf(t->type, sizeof t->type, "%s", word);
    while (*at) {
        t->dims[t->rank++] = (int)strtol(at, &at, 10);
        if (*at) at++;
    }
}

// read_case reads a line, and returns 0 at the end of the input.
static int read_case(operator_t *o)
{
    static char line[4096];
    if (!fgets(line, sizeof line, stdin)) return 0;
    memset(o, 0, sizeof *o);
    int result = 0;
    char *word = strtok(line, " \n");
    for (int k = 0; word; k++, word = strtok(NULL, " \n")) {
        switch (k) {
        case 0: snprintf(o->kind, sizeof o->kind, "%s", word); break;
        case 1: sscanf(word, "%dx%d", &o->stride[0], &o->stride[1]); break;
        case 2: sscanf(word, "%dx%d", &o->dilation[0], &o->dilation[1]); break;
        case 3: o->same = !strcmp(word, "same"); break;
        case 4: o->multiplier = atoi(word); break;
        case 5: o->per_channel = strchr(word, 'p') != NULL; break;
        default:
            if (*word == '>') result = 1;
            else if (result) read_tensor(word, &o->out);
            else read_tensor(word, &o->in[o->inputs++]);
        }
    }
    return 1;
}

// padding is how far the first window begins before the image, by the length that the result should have.
static int padding(const operator_t *o, int d, int image, int filter)
{
    int reach = (filter - 1) * o->dilation[d] + 1;
    int result = o->same ? (image + o->stride[d] - 1) / o->stride[d] : (image + o->stride[d] - reach) / o->stride[d];
    int total = (result - 1) * o->stride[d] + reach - image;
    return total > 0 ? total / 2 : 0;
}

// answers of one line: requests, then | and what is kept.
static void request(long n) { printf(" %ld", n); }
