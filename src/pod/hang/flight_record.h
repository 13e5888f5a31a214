#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"

namespace kml::pod {

/// Reads a file of PyTorch's flight recorder (torch/csrc/distributed/c10d/FlightRecorderDetail.hpp), which is
/// a pickle or JSON. It has the latest operations of each process group; operations between two ranks are
/// left out. Does not execute any code in the file. Throws Error if the bytes are neither JSON nor a pickle
/// of a dictionary.
FlightRecord parse_flight_record(std::string_view bytes);

/// How the records of the ranks in a process group differ.
struct FlightState {
  int size = 0;                     ///< how many ranks have a record; 0 means that nothing is known
  std::vector<size_t> behind = {};  ///< indexes of the records with fewer operations than others
  /// Indexes of the records whose operation with the same number has a different name or different sizes.
  std::vector<size_t> different = {};
  /// the operation of the other ranks, such as "all_reduce" or, if some differ, "all_reduce of [[4]]"
  std::string operation = {};
  /// what a record in `different` has instead, such as "all_gather" or "all_reduce of [[6]]"
  std::string difference = {};
  long long launched = 0, launched_by_behind = 0;  ///< numbers of operations
};
/// The state of the process group whose records differ or, if there is none, of the largest group. `records`
/// has one record per rank. A rank that waits in one group, and therefore lags in another, is not reported as
/// behind, unless all ranks that are behind wait in other groups.
FlightState flight_state(const std::vector<const FlightRecord*>& records);

}  // namespace kml::pod
