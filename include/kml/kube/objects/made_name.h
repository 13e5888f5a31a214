#pragma once

#include <cstddef>
#include <string>
#include <string_view>

namespace kml::api {

/// A name from which kml or a controller makes longer ones.
struct MadeName {
  size_t longest = 63;
  std::string_view reason = {};     ///< why it may not be longer: "a run's name adds the minute of its start"
  bool begins_with_letter = false;  ///< it becomes the name of a Service: RFC 1035
};

/// The fault in the name, with a valid name: "may have at most 52 characters, because …; use nightly". Empty
/// if it is valid.
std::string made_name_problem(std::string_view name, const MadeName& rule);

/// Throws usage Error if the name is wrong. `what` is like "the schedule".
void require_made_name(const std::string& what, std::string_view name, const MadeName& rule);

}  // namespace kml::api
