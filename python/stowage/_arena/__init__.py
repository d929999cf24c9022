"""What stowage.torch and stowage.onnxruntime share: an arena in front of another program's allocator.

arena.py says when steps are recorded, planned and served. build.py compiles an adapter, which is a file in C or C++ that
stands before one allocator, together with stowage_arena.c. slots.hpp is what adapters for the CPU share.
plans.py has the plans of an arena as texts, and the file that keeps them.
"""
