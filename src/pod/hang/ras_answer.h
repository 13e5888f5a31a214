#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"

namespace kml::pod {

/// The start of each answer of RAS.
inline constexpr std::string_view kRasGreeting = "SERVER PROTOCOL ";

/// Parses the answer of RAS after the four lines of ras_request(): its answers to the first three, then the
/// status, as JSON (NCCL 2.28.7 or later) or as text (2.24 or later). Formats: NVIDIA/nccl,
/// src/ras/client_support.cc. Throws Error if it is neither.
RasAnswer parse_ras(std::string_view received);

/// The commands of one request. RAS reads them in order and closes the connection after the status.
std::string ras_request();

/// The text format. `text` starts after the answers to the first commands.
RasAnswer parse_ras_text(std::string_view text);

/// How two answers differ, and their ranks.
struct RasState {
  bool has_moved = false;        ///< a count differs between the answers
  bool has_counts = false;       ///< of at least one communicator in both answers
  std::vector<int> lost = {};    ///< dead or unresponsive ranks
  bool is_dead = false;          ///< RAS calls one of them dead
  std::vector<int> behind = {};  ///< ranks that launched fewer operations than others of their communicator
  std::vector<int> different = {};                 ///< ranks that launched other operations
  std::string operation = {};                      ///< that the others have launched: "AllReduce"
  long long launched = 0, launched_by_behind = 0;  ///< their numbers
  int size = 0;                                    ///< of the communicator
  std::vector<RasRank> members = {};               ///< of the communicator
};
RasState ras_state(const RasAnswer& first, const RasAnswer& later);

}  // namespace kml::pod
