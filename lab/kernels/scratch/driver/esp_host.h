// Lets a host's compiler read kernels with assembly in them: asm volatile (...) becomes nothing.
#define asm
#define volatile(...) ((void)0)
