#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

namespace kml::job {

/// The states of a job, in the order in which lists sort them. A cancelled job is `cancelling` as long as one
/// of its pods is running. A job is `unknown` if an expression of its kind cannot be evaluated.
enum class State { waiting, running, cancelling, suspended, unknown, succeeded, failed, cancelled };
std::span<const State> all_states();

/// The name in the form that users see, such as "Waiting".
std::string_view name_of(State state);
/// The state with this name; empty if the name is unknown.
std::optional<State> state_of_name(std::string_view name);
/// The state's name for use in a sentence, such as "waiting".
std::string in_words(State state);
/// Whether the job has running pods, which hold their resources.
inline bool has_running_pods(State state) {
  return state == State::running || state == State::cancelling;
}
inline bool has_ended(State state) {
  return state == State::succeeded || state == State::failed || state == State::cancelled;
}

}  // namespace kml::job
