#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace trainer {

/// This process's place among those that train together, and the address where they meet.
struct Launch {
  uint32_t rank = 0;
  uint32_t world = 1;  ///< the number of ranks; in an elastic job, the maximum
  /// in an elastic job: the minimum number of ranks with which training may begin; otherwise equal to `world`
  uint32_t least_world = 1;
  uint32_t last_call = 30;  ///< seconds that an elastic job waits for more ranks once it has the minimum
  uint32_t local_rank = 0;  ///< the number of this process among the ranks on this host or in this pod
  uint32_t local_world = 1;
  /// Whether this process is not a rank itself. It must then start local_world ranks; the number of the first
  /// one is `rank`.
  bool starts_ranks = false;
  std::string master_address;  ///< the host name or address where rank 0 listens; empty if world is 1
  uint16_t master_port = 0;
  /// identifies the job: the same for all its ranks, different for other jobs; may be empty
  std::string job;
  uint64_t attempt = 0;  ///< how often all ranks were restarted, if the launcher provides this number
  std::string source;    ///< the rule that was applied, for messages
};

/// The facts that a launcher provides to its processes.
struct Surroundings {
  std::function<const char*(const char*)> get;  ///< the value of an environment variable, or null
  std::string host_name;
  std::string hostfile;  ///< content of the MPI operator's /etc/mpi/hostfile; empty if it does not exist
  unsigned cpus = 1;     ///< number of CPUs that this process may use
  unsigned gpus = 0;     ///< number of GPUs that this process may use, even if it was built without CUDA
};

/// The surroundings of this process.
Surroundings find_surroundings();

/// Finds the launch. Depends only on its argument. The first rule that applies is used: mpirun
/// (OMPI_COMM_WORLD_SIZE), torchrun (LOCAL_RANK), the arguments of torchrun that operators set (PET_NNODES),
/// a plain WORLD_SIZE or RANK, a process that is alone. Throws Error (exit code 2) for values that are
/// invalid, missing, or contradictory.
Launch find_launch(const Surroundings& surroundings);

}  // namespace trainer
