#pragma once

#include <cstdint>
#include <functional>
#include <string>

namespace trainer {

/// Who this process is among those that train together, and where they meet.
struct Launch {
  uint32_t rank = 0;
  uint32_t world = 1;        ///< of an elastic job: the most
  uint32_t least_world = 1;  ///< of an elastic job: with how many it may begin; else `world`
  uint32_t last_call = 30;   ///< seconds that an elastic job waits for more, once it may begin
  uint32_t local_rank = 0;   ///< among those of this host or pod
  uint32_t local_world = 1;
  /// This process is no rank: it has to start local_world ranks, the first of which is `rank`.
  bool starts_ranks = false;
  std::string master_address;  ///< host name or address where rank 0 listens; empty where the world is 1
  uint16_t master_port = 0;
  std::string job;       ///< the same for all ranks of a job, another one for another job; may be empty
  uint64_t attempt = 0;  ///< how often all were started anew, where the launcher tells
  std::string source;    ///< the rule that won, for people
};

/// What a launcher leaves behind for its processes.
struct Surroundings {
  std::function<const char*(const char*)> get;  ///< the value of an environment variable, or null
  std::string host_name;
  std::string hostfile;  ///< of the MPI operator (/etc/mpi/hostfile); empty where there is none
  unsigned cpus = 1;     ///< that this process may use
  unsigned gpus = 0;     ///< that it may use, also where it was built without CUDA
};

/// Those of this process.
Surroundings find_surroundings();

/// A pure function. The rules, the first that fits wins: mpirun (OMPI_COMM_WORLD_SIZE), torchrun
/// (LOCAL_RANK), the arguments of torchrun that operators set (PET_NNODES), a plain WORLD_SIZE, a process
/// that is alone. Throws Error (exit code 2) for values that are not understood, lack, or contradict each
/// other.
Launch find_launch(const Surroundings& surroundings);

}  // namespace trainer
