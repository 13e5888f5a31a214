#include "launch/launch.h"

#include <doctest/doctest.h>

#include <map>

#include "base/error.h"

using namespace trainer;

namespace {

using Environment = std::map<std::string, std::string>;

Launch launch(const Environment& environment, const std::string& host = "host",
              const std::string& hostfile = "", unsigned gpus = 0) {
  return find_launch({[&](const char* name) {
                        const auto found = environment.find(name);
                        return found == environment.end() ? nullptr : found->second.c_str();
                      },
                      host, hostfile, 6, gpus});
}

/// The error in the form "what | why | fix".
std::string refusal(const Environment& environment) {
  try {
    launch(environment);
  } catch (const Error& error) {
    CHECK(error.exit_code() == 2);
    return std::string(error.what()) + " | " + error.why() + " | " + error.fix();
  }
  return "no refusal";
}

Environment with(Environment environment, const Environment& more) {
  for (const auto& [name, value] : more) environment[name] = value;
  return environment;
}

/// The variables that the training operator sets in the pods of a PyTorchJob with a master.
Environment pytorchjob(const char* nodes, const char* world, const char* node) {
  return {{"MASTER_ADDR", "bert-master-0"}, {"MASTER_PORT", "23456"}, {"PET_MASTER_ADDR", "bert-master-0"},
          {"PET_MASTER_PORT", "23456"},     {"WORLD_SIZE", world},    {"RANK", node},
          {"PET_NODE_RANK", node},          {"PET_NNODES", nodes}};
}

struct Case {
  const char* title;
  Environment environment;
  uint32_t rank, world, local_rank, local_world;
  bool starts_ranks;
  const char* master;
  uint16_t port;
};

// The variables that each launcher sets, from its source: training-operator 1.8 pkg/controller.v1/pytorch,
// trainer 2.0, Open MPI 4.1, torch 2.11 local_elastic_agent.py, and this repository's templates.
const Case kCases[] = {
    {"nothing", {}, 0, 1, 0, 1, false, "", 0},
    {"an array's task", {{"JOB_COMPLETION_INDEX", "7"}}, 0, 1, 0, 1, false, "", 0},
    {"PyTorchJob, master", pytorchjob("3", "3", "0"), 0, 3, 0, 1, false, "bert-master-0", 23456},
    {"PyTorchJob, second worker", pytorchjob("3", "3", "2"), 2, 3, 0, 1, false, "bert-master-0", 23456},
    {"PyTorchJob, 2 processes each: RANK is the pod's",
     with(pytorchjob("3", "6", "2"), {{"PET_NPROC_PER_NODE", "2"}}), 4, 6, 0, 2, true, "bert-master-0",
     23456},
    {"PyTorchJob, as many as CPUs: the operator counts pods",
     with(pytorchjob("2", "2", "1"), {{"PET_NPROC_PER_NODE", "cpu"}}), 6, 12, 0, 6, true, "bert-master-0",
     23456},
    {"PyTorchJob, the operator's default", with(pytorchjob("2", "2", "1"), {{"PET_NPROC_PER_NODE", "auto"}}),
     1, 2, 0, 1, false, "bert-master-0", 23456},
    {"PyTorchJob without a master, not elastic",
     {{"PET_NNODES", "2"},
      {"PET_RDZV_ENDPOINT", "bert-worker-0:23456"},
      {"PET_RDZV_BACKEND", "c10d"},
      {"POD_NAME", "bert-worker-1"}},
     1,
     2,
     0,
     1,
     false,
     "bert-worker-0",
     23456},
    {"TrainJob",
     {{"PET_NNODES", "2"},
      {"PET_NPROC_PER_NODE", "1"},
      {"PET_NODE_RANK", "1"},
      {"PET_MASTER_ADDR", "ft-node-0-0.ft"},
      {"PET_MASTER_PORT", "29500"}},
     1,
     2,
     0,
     1,
     false,
     "ft-node-0-0.ft",
     29500},
    {"TrainJob of one node",
     {{"PET_NNODES", "1"}, {"PET_NPROC_PER_NODE", "2"}},
     0,
     2,
     0,
     2,
     true,
     "localhost",
     29500},
    {"kml's Indexed Job with 4 processes each: WORLD_SIZE counts pods",
     with(pytorchjob("2", "2", "1"), {{"JOB_COMPLETION_INDEX", "1"}, {"PET_NPROC_PER_NODE", "4"}}), 4, 8, 0,
     4, true, "bert-master-0", 23456},
    {"an Indexed Job of one's own",
     {{"JOB_COMPLETION_INDEX", "2"}, {"WORLD_SIZE", "4"}, {"MASTER_ADDR", "a-0.a"}},
     2,
     4,
     0,
     1,
     false,
     "a-0.a",
     29500},
    {"plain variables",
     {{"RANK", "1"}, {"WORLD_SIZE", "2"}, {"MASTER_ADDR", "fd00::7"}, {"MASTER_PORT", "1234"}},
     1,
     2,
     0,
     1,
     false,
     "fd00::7",
     1234},
    {"plain variables, alone", {{"WORLD_SIZE", "1"}}, 0, 1, 0, 1, false, "", 29500},
    {"torchrun",
     with(pytorchjob("2", "4", "1"), {{"RANK", "3"}, {"LOCAL_RANK", "1"}, {"LOCAL_WORLD_SIZE", "2"}}), 3, 4,
     1, 2, false, "bert-master-0", 23456},
    {"torchrun whose own store has the port",
     {{"RANK", "0"},
      {"WORLD_SIZE", "2"},
      {"LOCAL_RANK", "0"},
      {"LOCAL_WORLD_SIZE", "2"},
      {"MASTER_ADDR", "n1"},
      {"MASTER_PORT", "29500"},
      {"TORCHELASTIC_USE_AGENT_STORE", "True"}},
     0,
     2,
     0,
     2,
     false,
     "n1",
     29501},
    {"mpirun on one host",
     {{"OMPI_COMM_WORLD_SIZE", "4"},
      {"OMPI_COMM_WORLD_RANK", "3"},
      {"OMPI_COMM_WORLD_LOCAL_RANK", "3"},
      {"OMPI_COMM_WORLD_LOCAL_SIZE", "4"}},
     3,
     4,
     3,
     4,
     false,
     "localhost",
     29500},
    {"mpirun that is told the master",
     {{"OMPI_COMM_WORLD_SIZE", "4"}, {"OMPI_COMM_WORLD_RANK", "3"}, {"MASTER_ADDR", "w-0.w"}},
     3,
     4,
     0,
     1,
     false,
     "w-0.w",
     29500},
};

}  // namespace

TEST_CASE("launch: the rank is found in the variables of each launcher") {
  for (const Case& one : kCases) {
    CAPTURE(one.title);
    const Launch found = launch(one.environment);
    CHECK(found.rank == one.rank);
    CHECK(found.world == one.world);
    CHECK(found.least_world == one.world);
    CHECK(found.local_rank == one.local_rank);
    CHECK(found.local_world == one.local_world);
    CHECK(found.starts_ranks == one.starts_ranks);
    CHECK(found.master_address == one.master);
    CHECK(found.master_port == one.port);
    CHECK_FALSE(found.source.empty());
  }
}

TEST_CASE(
    "launch: a pod with GPUs has a rank per GPU, if the operator asks for that or sets no number of ranks") {
  for (const char* processes : {"auto", "gpu"}) {
    const Launch found =
        launch(with(pytorchjob("2", "2", "1"), {{"PET_NPROC_PER_NODE", processes}}), "host", "", 4);
    CHECK(found.rank == 4);
    CHECK(found.world == 8);
    CHECK(found.local_world == 4);
    CHECK(found.starts_ranks);
  }
}

TEST_CASE("launch: an elastic PyTorchJob has a minimum and a maximum; its pods differ only by name") {
  const Environment elastic = {{"PET_NNODES", "2:3"}, {"PET_RDZV_ENDPOINT", "bert-worker-0:23456"}};
  Launch found = launch(elastic, "bert-worker-2");
  CHECK(found.rank == 2);
  CHECK(found.world == 3);
  CHECK(found.least_world == 2);
  CHECK(found.master_address == "bert-worker-0");
  CHECK(found.master_port == 23456);
  CHECK(launch(with(elastic, {{"POD_NAME", "bert-worker-1"}})).rank == 1);
  CHECK(launch(with(elastic, {{"PET_NODE_RANK", "1"}})).rank == 1);
  CHECK(launch(with(elastic, {{"PET_RDZV_ENDPOINT", "[fd00::1]:99"}}), "x-1").master_address == "fd00::1");
  CHECK(launch(elastic, "x-1").last_call == 30);
  const char* settings = "join_timeout=9,last_call_timeout=2";
  CHECK(launch(with(elastic, {{"PET_RDZV_CONF", settings}}), "x-1").last_call == 2);
  CHECK(refusal(with(elastic, {{"PET_NODE_RANK", "1"}, {"PET_RDZV_CONF", "last_call_timeout=2s"}}))
            .find("2s") != std::string::npos);
  CHECK(refusal(elastic).find("the node rank of host cannot be determined") != std::string::npos);

  SUBCASE("processes that share a pod and know only their local rank") {
    const Environment two = with(elastic, {{"PET_NPROC_PER_NODE", "2"}});
    CHECK(launch(two, "bert-worker-1").starts_ranks);
    found = launch(with(two, {{"LOCAL_RANK", "1"}}), "bert-worker-1");
    CHECK_FALSE(found.starts_ranks);
    CHECK(found.rank == 3);
    CHECK(found.local_rank == 1);
    CHECK(found.world == 6);
    CHECK(found.least_world == 4);
  }
}

TEST_CASE("launch: the MPI operator's hostfile says where rank 0 is") {
  const Environment mpi = {{"OMPI_COMM_WORLD_SIZE", "4"},
                           {"OMPI_COMM_WORLD_RANK", "2"},
                           {"OMPI_COMM_WORLD_LOCAL_SIZE", "2"},
                           {"PMIX_NAMESPACE", "3141"}};
  const Launch found = launch(mpi, "h", "a-worker-0.a.ns.svc slots=2\na-worker-1.a.ns.svc slots=2\n");
  CHECK(found.master_address == "a-worker-0.a.ns.svc");
  CHECK(found.job == "3141");
  CHECK(refusal(mpi).find("mpirun -x MASTER_ADDR") != std::string::npos);
}

TEST_CASE("launch: the attempt's number is read from the variable in which the launcher passes it") {
  CHECK(launch(with(pytorchjob("2", "2", "1"), {{"KML_ATTEMPT", "4"}})).attempt == 4);
  CHECK(launch({{"RANK", "0"}, {"WORLD_SIZE", "1"}, {"LOCAL_RANK", "0"}, {"TORCHELASTIC_RESTART_COUNT", "2"}})
            .attempt == 2);
}

TEST_CASE("launch: the result names the rule that applied") {
  CHECK(launch({}).source == "single process");
  CHECK(launch(pytorchjob("3", "3", "1")).source == "PET_NNODES=3");
  CHECK(launch({{"WORLD_SIZE", "1"}}).source == "WORLD_SIZE and RANK");
}

TEST_CASE(
    "launch: the error for contradicting variables names both; a rank must be below the number of ranks") {
  CHECK(refusal(with(pytorchjob("3", "3", "1"), {{"RANK", "2"}}))
            .find("PET_NODE_RANK=1 conflicts with RANK=2") == 0);
  CHECK(
      refusal(with(pytorchjob("3", "3", "1"), {{"WORLD_SIZE", "1"}})) ==
      "WORLD_SIZE=1 conflicts with PET_NNODES=3 with 1 process each | both set the number of processes that "
      "train together | correct it, or pass --launch=single to train in one process");
  CHECK(refusal(with(pytorchjob("3", "3", "1"), {{"PET_MASTER_ADDR", "b"}}))
            .find("contradicts MASTER_ADDR=bert-master-0") != std::string::npos);
  CHECK(refusal(pytorchjob("3", "3", "3")).find("rank 3 of 3 | by PET_NNODES=3; ranks are numbered from 0") ==
        0);
  CHECK(refusal({{"WORLD_SIZE", "0"}, {"RANK", "0"}}).find("rank 0 of 0") == 0);
}

TEST_CASE("launch: the error says what is missing or wrong in the variables") {
  CHECK(refusal({{"WORLD_SIZE", "two"}}).find("WORLD_SIZE=two | it must be a whole number") == 0);
  CHECK(refusal({{"WORLD_SIZE", "2"}}).find("JOB_COMPLETION_INDEX is not set") == 0);
  CHECK(refusal({{"RANK", "2"}}).find("WORLD_SIZE is not set") == 0);
  CHECK(
      refusal({{"WORLD_SIZE", "2"}, {"RANK", "1"}}).find("rank 1 of 2 does not know the address of rank 0") ==
      0);
  CHECK(refusal({{"LOCAL_RANK", "0"}, {"WORLD_SIZE", "1"}}).find("RANK is not set") == 0);
  CHECK(refusal({{"OMPI_COMM_WORLD_SIZE", "2"}}).find("OMPI_COMM_WORLD_RANK is not set") == 0);
  for (const char* nodes : {"0", "3:2", "1:", ":2", "a"}) {
    CHECK(refusal({{"PET_NNODES", nodes}}).find("PET_NNODES=") == 0);
  }
  CHECK(refusal({{"PET_NNODES", "2"}, {"PET_NODE_RANK", "0"}, {"PET_NPROC_PER_NODE", "gpu"}})
            .find("this node has no GPU") != std::string::npos);
  CHECK(refusal({{"WORLD_SIZE", "2"}, {"RANK", "1"}, {"MASTER_ADDR", "a"}, {"MASTER_PORT", "70000"}})
            .find("a port must be") != std::string::npos);
}
