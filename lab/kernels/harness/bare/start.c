// Start-up of a Cortex-M in QEMU, without a C library's: vectors, the coprocessors for floating point and
// vectors, and semihosting to write, to read a file and to exit. QEMU loads the sections, so nothing is copied.

#include <stdint.h>
#include <string.h>

extern uint32_t stack_top;
int main(void);

// A call of the debugger: Arm's semihosting, operation in r0, its block in r1.
static int call(int operation, const void *block)
{
    register int r0 __asm("r0") = operation;
    register const void *r1 __asm("r1") = block;
    __asm volatile("bkpt 0xab" : "+r"(r0) : "r"(r1) : "memory");
    return r0;
}

void emit(const char *text) { call(0x04, text); }

int load(const char *name, char *to, int most)
{
    uint32_t open[3] = {(uint32_t)name, 0, strlen(name)};
    int file = call(0x01, open);
    if (file < 0)
        return -1;
    uint32_t read[3] = {(uint32_t)file, (uint32_t)to, (uint32_t)most};
    int left = call(0x06, read);
    return most - left;
}

void leave(int code)
{
    call(0x18, (void *)(code == 0 ? 0x20026 : 0x20023));
    for (;;)
        ;
}

void fault(void)
{
    emit("fault\n");
    leave(1);
}

void reset(void)
{
    *(volatile uint32_t *)0xE000ED88 |= 0xfu << 20; // CPACR: coprocessors 10 and 11
    __asm volatile("dsb\n isb");
    leave(main());
}

__attribute__((section(".vectors"), used)) static const void *vectors[16] = {
    &stack_top, reset, fault, fault, fault, fault, fault, fault, 0, 0, 0, fault, fault, 0, fault, fault};

void _init(void) {}
__attribute__((noreturn)) void _exit(int code)
{
    leave(code);
    for (;;)
        ;
}
