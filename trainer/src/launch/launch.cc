#include "launch/launch.h"

#include <unistd.h>

#include <climits>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "base/parallel.h"
#include "launch/rules.h"
#include "launch/variables.h"

namespace trainer {

namespace {

/// Makes the checks that are common to all rules.
void check(const Launch& launch) {
  const std::string who = "rank " + std::to_string(launch.rank) + " of " + std::to_string(launch.world);
  if (launch.world == 0 || launch.rank >= launch.world) {
    refuse_launch(who, "by " + launch.source + "; ranks are numbered from 0");
  }
  if (launch.world > 1 && launch.master_address.empty()) {
    refuse_launch(who + " does not know the address of rank 0", "by " + launch.source,
                  "set MASTER_ADDR and MASTER_PORT");
  }
}

/// The number of GPUs in CUDA_VISIBLE_DEVICES (CUDA C++ Programming Guide, "CUDA Environment Variables").
/// Without it, the number of device files such as /dev/nvidia0: a pod sees only those of its own GPUs. Asking
/// the driver would take long.
unsigned usable_gpus() {
  unsigned count = 0;
  if (const char* list = getenv("CUDA_VISIBLE_DEVICES")) {
    std::istringstream devices(list);
    for (std::string device; std::getline(devices, device, ',') && device != "-1";) ++count;
    return count;
  }
  std::error_code ignored;
  for (const auto& entry : std::filesystem::directory_iterator("/dev", ignored)) {
    const std::string name = entry.path().filename(), prefix = "nvidia";
    count += name.starts_with(prefix) && name.size() > prefix.size() &&
             name.find_first_not_of("0123456789", prefix.size()) == std::string::npos;
  }
  return count;
}

}  // namespace

Surroundings find_surroundings() {
  Surroundings found{[](const char* name) -> const char* { return getenv(name); }, "", "", usable_cpus(),
                     usable_gpus()};
  if (char host[HOST_NAME_MAX + 1]; gethostname(host, sizeof host) == 0) found.host_name = host;
  std::ostringstream hosts;
  if (std::ifstream file("/etc/mpi/hostfile"); file) hosts << file.rdbuf();
  found.hostfile = hosts.str();
  return found;
}

Launch find_launch(const Surroundings& surroundings) {
  const Variables variables(surroundings);
  Launch launch;
  if (variables.has("OMPI_COMM_WORLD_SIZE")) {
    launch = launched_by_mpirun(variables);
  } else if (variables.has("LOCAL_RANK")) {
    launch = launched_by_torchrun(variables);
  } else if (variables.has("PET_NNODES")) {
    launch = launched_by_operator(variables);
  } else if (variables.has("WORLD_SIZE") || variables.has("RANK")) {
    launch = launched_by_plain_variables(variables);
  } else {
    launch.source = "single process";
  }
  check(launch);
  return launch;
}

}  // namespace trainer
