#pragma once

#include <chrono>
#include <map>
#include <optional>
#include <string>

#include "live/web/requests.h"

namespace kml::live {

/// Actions that the user was asked about. Each can be carried out once, by its id, within a short time. So
/// the server does exactly what the user has read, and a second click does nothing.
class Consent {
 public:
  using SteadyTime = std::chrono::steady_clock::time_point;

  /// Keeps the command, and returns its id.
  std::string ask(const RowCommand& command, SteadyTime now);
  /// Returns the command with this id, and forgets it. Empty if the id is unknown or too old.
  std::optional<RowCommand> take(const std::string& id, SteadyTime now);

 private:
  struct Asked {
    RowCommand command;
    SteadyTime until;
  };
  void forget_old(SteadyTime now);

  std::map<std::string, Asked> asked_;
};

}  // namespace kml::live
