#include "launch/launch.h"

#include <charconv>
#include <string_view>

#include "base/error.h"

namespace trainer {

namespace {

/// The variables of the ways in which distributed training is started.
struct Contract {
  const char* world;
  const char* rank;
};

constexpr Contract kContracts[] = {
    {"OMPI_COMM_WORLD_SIZE", "OMPI_COMM_WORLD_RANK"},  // mpirun
    {"WORLD_SIZE", "RANK"},                            // torchrun, PyTorchJob
    {"PET_NNODES", "PET_NODE_RANK"},                   // TrainJob
};

int whole_number(const char* name, std::string_view text) {
  int value = -1;
  const auto [end, code] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (code != std::errc() || end != text.data() + text.size() || value < 0) {
    throw Error(std::string(name) + "=" + std::string(text), "the variable must hold a whole number", "", 2);
  }
  return value;
}

}  // namespace

Launch find_launch(const std::function<const char*(const char*)>& get) {
  for (const Contract& contract : kContracts) {
    const char* world = get(contract.world);
    if (!world || !*world) continue;
    const char* rank = get(contract.rank);
    return {rank && *rank ? whole_number(contract.rank, rank) : 0, whole_number(contract.world, world),
            contract.world};
  }
  return {0, 1, "single process"};
}

}  // namespace trainer
