#pragma once

#include <cstdint>
#include <string>
#include <vector>

namespace kml::local {

/// The NVIDIA GPUs in this machine.
struct MachineGpus {
  int64_t count = 0;
  std::string product;    ///< "NVIDIA H100 80GB HBM3"; empty if it is unknown, or if the GPUs differ
  int64_t mebibytes = 0;  ///< the memory of the smallest GPU; 0 if it is unknown
};

/// Asks NVML or, if it cannot be loaded, the driver's folder in /proc and nvidia-smi. Without a driver, there
/// are no GPUs.
MachineGpus gpus_of_machine();

/// The least of the numbers in the lines of nvidia-smi's output, which has a line for each GPU; 0 without
/// numbers.
int64_t least_memory_in(const std::string& lines);

/// The labels that NVIDIA's GPU feature discovery gives to a node with these GPUs, as "key=value".
std::vector<std::string> labels_of_gpus(const MachineGpus& gpus);

}  // namespace kml::local
