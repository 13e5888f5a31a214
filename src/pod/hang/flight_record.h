#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"

namespace kml::pod {

/// Reads what PyTorch's flight recorder has written (torch/csrc/distributed/c10d/FlightRecorderDetail.hpp),
/// as a pickle or as JSON: the latest operations of each process group, without those between two ranks. Runs
/// nothing that the bytes may contain. Throws Error if they are neither.
FlightRecord parse_flight_record(std::string_view bytes);

/// How the records of the ranks of a process group differ.
struct FlightState {
  int size = 0;                     ///< the number of ranks with a record; 0: nothing is known
  std::vector<size_t> behind = {};  ///< indexes of records that have fewer operations than others
  /// Indexes of records with another operation, or other sizes, under the same number as the others.
  std::vector<size_t> different = {};
  std::string operation = {};                      ///< that the others have: "all_reduce"
  std::string difference = {};                     ///< "broadcast" or "all_reduce of [[6]], not [[4]]"
  long long launched = 0, launched_by_behind = 0;  ///< the numbers of the operations
};
/// For the process group in which they differ; for the largest one if they do not. `records` has one per
/// rank. A rank that waits in one group, and is therefore behind in another, is not behind.
FlightState flight_state(const std::vector<const FlightRecord*>& records);

}  // namespace kml::pod
