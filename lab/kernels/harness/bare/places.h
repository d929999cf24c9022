// Where the tensors of a traced run lie, for the program and for the plugin. Accesses outside of a tensor, but near
// it, are seen too: a tensor begins after the start of its window.

#define OPERAND_FROM 0x21000000
#define OPERAND 0x21010000
#define RESULT_FROM 0x21080000
#define RESULT 0x21090000
#define MAILBOX 0x21100000
#define ARENA 0x21110000
#ifndef CASES
#define CASES 0x60000000 // of mps3-an547; the older boards have none there
#endif
#define CHAIN (CASES + 0x400000) // two arenas of a whole model
#define CHAIN_SIZE 0x300000
