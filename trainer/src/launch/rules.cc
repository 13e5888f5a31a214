#include "launch/rules.h"

namespace trainer {

namespace {

/// "first.example slots=2\nsecond.example slots=2\n" -> "first.example"
std::string first_host(const std::string& hostfile) {
  return hostfile.substr(0, hostfile.find_first_of(" :\n"));
}

}  // namespace

void find_master(const Variables& variables, Launch& launch) {
  launch.master_address = variables.same_text("PET_MASTER_ADDR", "MASTER_ADDR");
  const std::string port = variables.same_text("PET_MASTER_PORT", "MASTER_PORT");
  launch.master_port = port.empty() ? kDefaultPort : port_number("MASTER_PORT", port);
  launch.attempt = variables.number("KML_ATTEMPT").value_or(0);
}

Launch launched_by_mpirun(const Variables& variables) {
  Launch launch;
  launch.source = "mpirun (OMPI_COMM_WORLD_SIZE)";
  launch.world = launch.least_world = variables.required_number("OMPI_COMM_WORLD_SIZE", launch.source);
  launch.rank = variables.required_number("OMPI_COMM_WORLD_RANK", launch.source);
  launch.local_rank = variables.number("OMPI_COMM_WORLD_LOCAL_RANK").value_or(0);
  launch.local_world = variables.number("OMPI_COMM_WORLD_LOCAL_SIZE").value_or(1);
  launch.job = variables.text("PMIX_NAMESPACE");
  find_master(variables, launch);
  if (!launch.master_address.empty()) return launch;
  launch.master_address =
      launch.local_world == launch.world ? "localhost" : first_host(variables.surroundings().hostfile);
  if (launch.master_address.empty()) {
    refuse_launch("rank " + std::to_string(launch.rank) + " does not know the address of rank 0",
                  "mpirun does not set it, and /etc/mpi/hostfile does not exist",
                  "mpirun -x MASTER_ADDR=HOST-OF-RANK-0 …");
  }
  return launch;
}

Launch launched_by_torchrun(const Variables& variables) {
  // This is a local rank of an elastic job. The number of ranks is only known after they have met.
  const bool elastic = !variables.has("RANK") && !variables.has("WORLD_SIZE") && variables.has("PET_NNODES");
  Launch launch;
  if (elastic) {
    launch = launched_by_operator(variables);
    launch.rank += variables.required_number("LOCAL_RANK", launch.source);
    launch.starts_ranks = false;
  } else {
    launch.source = "torchrun's variables (LOCAL_RANK)";
    launch.world = launch.least_world = variables.required_number("WORLD_SIZE", launch.source);
    launch.rank = variables.required_number("RANK", launch.source);
    launch.local_world = variables.number("LOCAL_WORLD_SIZE").value_or(1);
    launch.job = variables.text("TORCHELASTIC_RUN_ID");
    launch.master_address = variables.text("MASTER_ADDR");
    const std::string port = variables.text("MASTER_PORT");
    launch.master_port = port.empty() ? kDefaultPort : port_number("MASTER_PORT", port);
    // torchrun's own store listens on that port.
    if (variables.text("TORCHELASTIC_USE_AGENT_STORE") == "True") ++launch.master_port;
    launch.attempt = variables.number("TORCHELASTIC_RESTART_COUNT").value_or(0);
  }
  launch.local_rank = variables.required_number("LOCAL_RANK", launch.source);
  return launch;
}

Launch launched_by_plain_variables(const Variables& variables) {
  Launch launch;
  launch.source = "WORLD_SIZE and RANK";
  launch.world = launch.least_world =
      variables.required_number("WORLD_SIZE", "RANK is set, so this is one of several processes");
  if (variables.has("RANK") || launch.world == 1) {
    launch.rank = variables.number("RANK").value_or(0);
  } else {
    launch.source = "WORLD_SIZE and JOB_COMPLETION_INDEX";
    launch.rank = variables.required_number(
        "JOB_COMPLETION_INDEX",
        "WORLD_SIZE is set, but neither RANK nor JOB_COMPLETION_INDEX gives the rank of this process");
  }
  find_master(variables, launch);
  return launch;
}

}  // namespace trainer
