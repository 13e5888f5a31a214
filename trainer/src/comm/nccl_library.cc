#include "comm/nccl_library.h"

#include <dlfcn.h>

namespace trainer::nccl {

namespace {

constexpr int kOldest = 21800;

struct Loaded {
  Library library;
  std::string why;
};

bool loaded_once = false;

Loaded try_to_load() {
  Loaded loaded{};
  void* handle = dlopen("libnccl.so.2", RTLD_NOW | RTLD_LOCAL);
  if (!handle) {
    const char* error = dlerror();
    loaded.why = std::string("cannot load NCCL: ") + (error ? error : "no reason given");
    return loaded;
  }
  const auto find = [&](auto& function, const char* name) {
    void* symbol = dlsym(handle, name);
    if (!symbol) loaded.why = std::string("this libnccl.so.2 has no function ") + name;
    function = reinterpret_cast<std::remove_reference_t<decltype(function)>>(symbol);
  };
  Library& library = loaded.library;
  find(library.get_version, "ncclGetVersion");
  find(library.get_error_string, "ncclGetErrorString");
  find(library.get_unique_id, "ncclGetUniqueId");
  find(library.init_rank, "ncclCommInitRankConfig");
  find(library.get_async_error, "ncclCommGetAsyncError");
  find(library.finalize, "ncclCommFinalize");
  find(library.abort, "ncclCommAbort");
  find(library.destroy, "ncclCommDestroy");
  find(library.group_start, "ncclGroupStart");
  find(library.group_end, "ncclGroupEnd");
  find(library.send, "ncclSend");
  find(library.receive, "ncclRecv");
  find(library.all_reduce, "ncclAllReduce");
  if (!loaded.why.empty()) return loaded;
  library.get_version(&library.version);
  if (library.version < kOldest)
    loaded.why = "this libnccl.so.2 is older than 2.18: " + std::to_string(library.version);
  return loaded;
}

}  // namespace

const Library* load(std::string& why) {
  static const Loaded loaded = try_to_load();
  why = loaded.why;
  loaded_once = why.empty();
  return loaded_once ? &loaded.library : nullptr;
}

bool is_loaded() {
  return loaded_once;
}

}  // namespace trainer::nccl
