#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kml::job {

/// In the sort order of lists. A cancelled job is `cancelling` while one of its pods is running. A job is
/// `unknown` if an expression of its kind cannot be evaluated.
enum class State { waiting, running, cancelling, suspended, unknown, succeeded, failed, cancelled };
std::span<const State> all_states();

/// "Waiting", as shown.
std::string_view name_of(State state);
/// The state named "Waiting" and so on; empty for an unknown name.
std::optional<State> state_of_name(std::string_view name);
/// "waiting", within a sentence.
std::string in_words(State state);
/// Whether the job has running pods, which hold their resources.
inline bool has_running_pods(State state) {
  return state == State::running || state == State::cancelling;
}
inline bool has_ended(State state) {
  return state == State::succeeded || state == State::failed || state == State::cancelled;
}

}  // namespace kml::job
