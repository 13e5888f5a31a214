#include "kml/job/kinds/state.h"

#include <cctype>

namespace kml::job {

std::span<const State> all_states() {
  using enum State;
  static constexpr State kAll[] = {waiting, running,   cancelling, suspended,
                                   unknown, succeeded, failed,     cancelled};
  return kAll;
}

std::string_view name_of(State state) {
  switch (state) {
    case State::waiting: return "Waiting";
    case State::running: return "Running";
    case State::cancelling: return "Cancelling";
    case State::suspended: return "Suspended";
    case State::unknown: return "Unknown";
    case State::succeeded: return "Succeeded";
    case State::failed: return "Failed";
    case State::cancelled: return "Cancelled";
  }
  return "";
}

std::optional<State> state_of_name(std::string_view name) {
  for (const State state : all_states())
    if (name_of(state) == name) return state;
  return {};
}

std::string in_words(State state) {
  std::string name(name_of(state));
  name[0] = static_cast<char>(std::tolower(static_cast<unsigned char>(name[0])));
  return name;
}

}  // namespace kml::job
