#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kml::api {

/// The rule for a name that kml or a controller makes longer.
struct MadeName {
  size_t longest = 63;
  /// why the name may not be longer: "a run's name adds the minute of its start"
  std::string_view reason = {};
  bool begins_with_letter = false;  ///< the name becomes a Service's name (RFC 1035)
};

/// The fault in the name, with a suggestion for a valid name: "may have at most 52 characters, because …;
/// take nightly". Empty if the name is valid.
std::string made_name_problem(std::string_view name, const MadeName& rule);

/// Throws usage Error if the name is invalid. `what` says what has the name, such as "the schedule".
void require_made_name(const std::string& what, std::string_view name, const MadeName& rule);

}  // namespace kml::api
