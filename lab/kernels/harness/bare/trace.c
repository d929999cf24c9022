// A plugin of QEMU that measures the distance of a kernel exactly, in one run with its tensors apart.
//
// Idea: the distance is the largest end(w) - begin(r) over writes w of the result and reads r of the
// operand that come after w. So one number is kept, the end of what is written so far, and each read asks
// for it. A kernel in assembly, in vector instructions or under predicates is measured like any other, for QEMU
// reports each access that it makes.
//
// The program lays operand and result at fixed addresses, and says by a write to a mailbox that a run begins,
// and by a write to the next word that it ends. Each run gives a line: the distance, then the least and the largest
// offset that was read and that was written, from the start of each tensor. "-" stands for none.
//
// The functions are those of QEMU's plugin API, version 1 (docs/devel/tcg-plugins.rst), declared here since
// Debian packages no header of it.

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

struct qemu_plugin_tb;
struct qemu_plugin_insn;
void qemu_plugin_register_vcpu_tb_trans_cb(uint64_t, void (*)(uint64_t, struct qemu_plugin_tb *));
size_t qemu_plugin_tb_n_insns(const struct qemu_plugin_tb *);
struct qemu_plugin_insn *qemu_plugin_tb_get_insn(const struct qemu_plugin_tb *, size_t);
void qemu_plugin_register_vcpu_mem_cb(struct qemu_plugin_insn *,
                                      void (*)(unsigned, uint32_t, uint64_t, void *), int, int, void *);
bool qemu_plugin_mem_is_store(uint32_t);
unsigned qemu_plugin_mem_size_shift(uint32_t);
void qemu_plugin_register_atexit_cb(uint64_t, void (*)(uint64_t, void *), void *);

#define EXPORT __attribute__((visibility("default")))
EXPORT int qemu_plugin_version = 1;

#include "places.h"

#define NONE INT64_MIN

static FILE *out;
static bool running;
static int64_t distance, written, first_read, last_read, first_write;

static void number(int64_t n) { n == NONE ? fputs(" -", out) : fprintf(out, " %lld", (long long)n); }

static void access(unsigned cpu, uint32_t info, uint64_t at, void *data)
{
    (void)cpu, (void)data;
    bool store = qemu_plugin_mem_is_store(info);
    if (store && at == MAILBOX) {
        running = true;
        distance = written = first_read = last_read = first_write = NONE;
    } else if (store && at == MAILBOX + 4) {
        running = false;
        number(distance), number(first_read), number(last_read), number(first_write), number(written);
        fputc('\n', out);
    } else if (running && !store && at >= OPERAND_FROM && at < RESULT_FROM) {
        int64_t offset = (int64_t)at - OPERAND, end = offset + (1 << qemu_plugin_mem_size_shift(info));
        if (written != NONE && (distance == NONE || written - offset > distance))
            distance = written - offset;
        first_read = first_read == NONE || offset < first_read ? offset : first_read;
        last_read = last_read == NONE || end > last_read ? end : last_read;
    } else if (running && store && at >= RESULT_FROM && at < MAILBOX) {
        int64_t offset = (int64_t)at - RESULT, end = offset + (1 << qemu_plugin_mem_size_shift(info));
        written = written == NONE || end > written ? end : written;
        first_write = first_write == NONE || offset < first_write ? offset : first_write;
    }
}

static void translate(uint64_t id, struct qemu_plugin_tb *block)
{
    (void)id;
    for (size_t i = 0; i < qemu_plugin_tb_n_insns(block); i++)
        qemu_plugin_register_vcpu_mem_cb(qemu_plugin_tb_get_insn(block, i), access, 0, 3, NULL);
}

static void end(uint64_t id, void *data)
{
    (void)id, (void)data;
    fclose(out);
}

EXPORT int qemu_plugin_install(uint64_t id, const void *info, int argc, char **argv)
{
    (void)info;
    if (argc != 1 || strncmp(argv[0], "out=", 4) != 0 || !(out = fopen(argv[0] + 4, "w")))
        return 1;
    qemu_plugin_register_vcpu_tb_trans_cb(id, translate);
    qemu_plugin_register_atexit_cb(id, end, NULL);
    return 0;
}
