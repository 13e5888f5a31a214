#pragma once

#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"

namespace kml::pod {

/// The start of each response of RAS.
inline constexpr std::string_view kRasGreeting = "SERVER PROTOCOL ";

/// Parses what RAS sends after the four lines of ras_request(): responses to the first three, then the
/// status, as JSON (NCCL 2.28.7 or later) or as text (NCCL 2.24 or later). The formats are in NVIDIA/nccl,
/// src/ras/client_support.cc. Throws Error if the text is not from RAS, has no status, or has invalid JSON.
RasAnswer parse_ras(std::string_view received);

/// The commands in one request. RAS reads them in order, and closes the connection after the status.
std::string ras_request();

/// Parses the text format. `text` starts after the responses to the first commands.
RasAnswer parse_ras_text(std::string_view text);

/// How two responses differ, and how the ranks in them differ.
struct RasState {
  bool has_moved = false;      ///< whether any count differs between the responses
  bool has_counts = false;     ///< whether the later response has counts for the communicator
  std::vector<int> lost = {};  ///< dead or unresponsive ranks
  bool is_dead = false;        ///< whether RAS calls any of the ranks dead
  /// ranks that launched fewer operations than other ranks in their communicator
  std::vector<int> behind = {};
  std::vector<int> different = {};  ///< ranks that launched different operations
  /// the operation that the other ranks have launched, such as "AllReduce"
  std::string operation = {};
  long long launched = 0, launched_by_behind = 0;  ///< their numbers
  int size = 0;                                    ///< the size of the communicator
  std::vector<RasRank> members = {};               ///< the members of the communicator
};
RasState ras_state(const RasAnswer& first, const RasAnswer& later);

}  // namespace kml::pod
