#include <algorithm>
#include <optional>
#include <sstream>

#include "launch/rules.h"

namespace trainer {

namespace {

/// The value of PET_NNODES: a number, or the minimum and maximum of an elastic job as MIN:MAX.
struct Nodes {
  uint32_t least, most;
};

Nodes nodes_of(const Variables& variables) {
  const std::string text = variables.text("PET_NNODES");
  const size_t colon = text.find(':');
  Nodes nodes;
  nodes.least = whole_number("PET_NNODES", text.substr(0, colon));
  nodes.most = colon == std::string::npos ? nodes.least : whole_number("PET_NNODES", text.substr(colon + 1));
  if (nodes.least == 0 || nodes.least > nodes.most) {
    refuse_launch("PET_NNODES=" + text, "it must be a number of nodes, 1 or more, or a range MIN:MAX");
  }
  return nodes;
}

uint32_t processes_of(const Variables& variables) {
  const std::string text = variables.text("PET_NPROC_PER_NODE");
  // "auto", the operator's default, lets the program decide: one process for each GPU. On CPUs it is one
  // process, because its threads use all of them.
  const uint32_t gpus = variables.surroundings().gpus;
  if (text.empty()) return 1;
  if (text == "auto") return std::max(1u, gpus);
  if (text == "cpu") return variables.surroundings().cpus;
  if (text == "gpu" && gpus == 0) refuse_launch("PET_NPROC_PER_NODE=gpu", "this node has no GPU");
  if (text == "gpu") return gpus;
  const uint32_t processes = whole_number("PET_NPROC_PER_NODE", text);
  if (processes == 0) refuse_launch("PET_NPROC_PER_NODE=0", "each node needs at least one process");
  return processes;
}

/// "ana-worker-2" -> 2
std::optional<uint32_t> trailing_number(const std::string& name) {
  const size_t dash = name.find_last_not_of("0123456789");
  if (dash == std::string::npos || name[dash] != '-' || dash + 1 == name.size()) return std::nullopt;
  return whole_number(name, name.substr(dash + 1));
}

uint32_t node_number(const Variables& variables, const Nodes& nodes) {
  const auto node = variables.number("PET_NODE_RANK"), rank = variables.number("RANK");
  // Operators also set RANK, to the number of the pod.
  if (node && rank && *node != *rank) {
    refuse_launch("PET_NODE_RANK=" + std::to_string(*node) + " conflicts with RANK=" + std::to_string(*rank),
                  "without LOCAL_RANK, both variables must be the number of this pod");
  }
  if (node) return *node;
  if (rank) return *rank;
  if (nodes.most == 1) return 0;
  // The pods of an elastic PyTorchJob differ only in their names.
  std::string pod = variables.text("POD_NAME");
  if (pod.empty()) pod = variables.surroundings().host_name;
  const auto number = variables.has("PET_RDZV_ENDPOINT") ? trailing_number(pod) : std::nullopt;
  if (!number) {
    refuse_launch("PET_NODE_RANK is not set", "the node rank of " + pod + " cannot be determined");
  }
  return *number;
}

void check_world_size(const Variables& variables, const Nodes& nodes, uint32_t processes) {
  const auto world = variables.number("WORLD_SIZE");
  // Some operators count pods in WORLD_SIZE, others count processes.
  if (!world || *world == nodes.most || *world == nodes.most * processes) return;
  refuse_launch("WORLD_SIZE=" + std::to_string(*world) +
                    " conflicts with PET_NNODES=" + variables.text("PET_NNODES") + " with " +
                    std::to_string(processes) + " process" + (processes == 1 ? "" : "es") + " each",
                "both set the number of processes that train together");
}

/// Parses HOST:PORT, where HOST may be an IPv6 address in brackets.
void find_endpoint(const Variables& variables, Launch& launch) {
  const std::string text = variables.text("PET_RDZV_ENDPOINT");
  const size_t colon = text.rfind(':');
  const bool has_port = colon != std::string::npos && text.find(']', colon) == std::string::npos;
  launch.master_address = text.substr(0, has_port ? colon : text.size());
  if (has_port) launch.master_port = port_number("PET_RDZV_ENDPOINT", text.substr(colon + 1));
  if (launch.master_address.starts_with('[') && launch.master_address.ends_with(']')) {
    launch.master_address = launch.master_address.substr(1, launch.master_address.size() - 2);
  }
}

/// Reads last_call_timeout from PET_RDZV_CONF, which is torchrun's "KEY=VALUE,...". The other keys are for
/// other kinds of rendezvous.
void find_last_call(const Variables& variables, Launch& launch) {
  std::istringstream settings(variables.text("PET_RDZV_CONF"));
  const std::string name = "last_call_timeout=";
  for (std::string setting; std::getline(settings, setting, ',');) {
    if (setting.starts_with(name)) {
      launch.last_call = whole_number("last_call_timeout in PET_RDZV_CONF", setting.substr(name.size()));
    }
  }
}

}  // namespace

Launch launched_by_operator(const Variables& variables) {
  const Nodes nodes = nodes_of(variables);
  const uint32_t processes = processes_of(variables), node = node_number(variables, nodes);
  check_world_size(variables, nodes, processes);
  Launch launch;
  launch.source = "PET_NNODES=" + variables.text("PET_NNODES");
  launch.rank = node * processes;
  launch.world = nodes.most * processes;
  launch.least_world = nodes.least * processes;
  launch.local_world = processes;
  launch.starts_ranks = processes > 1;
  launch.job = variables.text("PET_RDZV_ID");
  find_last_call(variables, launch);
  find_master(variables, launch);
  if (launch.master_address.empty() && variables.has("PET_RDZV_ENDPOINT")) find_endpoint(variables, launch);
  if (launch.master_address.empty() && nodes.most == 1) launch.master_address = "localhost";
  return launch;
}

}  // namespace trainer
