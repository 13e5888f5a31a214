#pragma once

#include <cstddef>
#include <string>

/// NVIDIA's collective communications library. It is loaded on request, so the program also runs without it.
/// The declarations follow nccl.h of NCCL 2.32 and
/// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html; those used here have been the same
/// since 2.18.
namespace trainer::nccl {

enum class Result : int { success = 0, in_progress = 7 };
enum class DataType : int { uint8 = 1, uint32 = 3, float32 = 7 };
enum class Operation : int { sum = 0, max = 2 };
struct UniqueId {
  char bytes[128];
};
/// The first members of ncclConfig_t in version 2.18. A newer library gives its additional members default
/// values.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21800;
  int blocking = 0;  ///< calls do not wait for other ranks
  int cga_cluster_size = kUnset, least_ctas = kUnset, most_ctas = kUnset;
  const char* network = nullptr;
  int split_share = kUnset;

  static constexpr int kUnset = -0x7fffffff - 1;
};
using Comm = struct ncclComm*;
using CudaStream = void*;  ///< cudaStream_t

struct Library {
  Result (*get_version)(int*);
  const char* (*get_error_string)(Result);
  Result (*get_unique_id)(UniqueId*);
  Result (*init_rank)(Comm*, int ranks, UniqueId, int rank, Config*);
  Result (*get_async_error)(Comm, Result*);
  Result (*finalize)(Comm);
  Result (*abort)(Comm);
  Result (*destroy)(Comm);
  Result (*group_start)();
  Result (*group_end)();
  Result (*send)(const void*, size_t, DataType, int peer, Comm, CudaStream);
  Result (*receive)(void*, size_t, DataType, int peer, Comm, CudaStream);
  Result (*all_reduce)(const void* from, void* to, size_t, DataType, Operation, Comm, CudaStream);

  int version;  ///< 22703 means 2.27.3
};

/// Loads libnccl.so.2 once, from the paths of the dynamic loader (LD_LIBRARY_PATH). If that fails, returns
/// null and sets `why` to the reason.
const Library* load(std::string& why);

/// Whether load() has succeeded.
bool is_loaded();

}  // namespace trainer::nccl
