#pragma once

#include <cstddef>
#include <string>

/// NVIDIA's collective communications library, loaded when it is asked for: the program runs without it.
/// Declarations are our own, after nccl.h of NCCL 2.32 and
/// https://docs.nvidia.com/deeplearning/nccl/user-guide/docs/api.html; those used here are the same
/// since 2.18.
namespace trainer::nccl {

enum class Result : int { success = 0, in_progress = 7 };
enum class DataType : int { uint8 = 1, uint32 = 3, float32 = 7 };
enum class Operation : int { sum = 0, max = 2 };
struct UniqueId {
  char bytes[128];
};
/// Beginning of ncclConfig_t as of 2.18; a newer library fills in the rest by itself.
struct Config {
  size_t size = sizeof(Config);
  unsigned magic = 0xcafebeef, version = 21800;
  int blocking = 0;  ///< no call waits for other ranks
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
  Result (*abort)(Comm);
  Result (*destroy)(Comm);
  Result (*group_start)();
  Result (*group_end)();
  Result (*send)(const void*, size_t, DataType, int peer, Comm, CudaStream);
  Result (*receive)(void*, size_t, DataType, int peer, Comm, CudaStream);
  Result (*all_reduce)(const void* from, void* to, size_t, DataType, Operation, Comm, CudaStream);

  int version;  ///< 22703 is 2.27.3
};

/// libnccl.so.2, where the dynamic loader finds it (LD_LIBRARY_PATH). Loaded once. Null, with the reason in
/// `why`, where that is not possible.
const Library* load(std::string& why);

}  // namespace trainer::nccl
