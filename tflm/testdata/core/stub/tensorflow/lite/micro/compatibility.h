#pragma once
#define TF_LITE_REMOVE_VIRTUAL_DELETE \
  void operator delete(void*) {}
