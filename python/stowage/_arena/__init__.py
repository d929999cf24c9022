"""What stowage.torch and stowage.onnxruntime share: an arena in front of another program's allocator.

arena.py says when steps are recorded, planned and served. build.py compiles an adapter, which is a file in C or C++ that
stands before one allocator, together with stowage_arena.c. slots.hpp is what adapters for the CPU share.
malloc.py measures what the C library takes for the same steps.
"""
