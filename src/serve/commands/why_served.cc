#include "serve/commands/why_served.h"

#include <chrono>
#include <optional>
#include <utility>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/activator.h"
#include "kml/serve/model/rollout.h"
#include "serve/commands/serve_view.h"

namespace kml::cli {

namespace {

using job::CauseCode;

/// The state and the code for a text that state_of_served() returns. With any other text, the program waits.
struct ServedState {
  const char* words;
  job::State state;
  CauseCode code;
};

constexpr ServedState kServedStates[] = {{"Running", job::State::running, CauseCode::running},
                                         {"Updating", job::State::running, CauseCode::starting},
                                         {"Crashing", job::State::waiting, CauseCode::crash_loop},
                                         {"Stopped", job::State::suspended, CauseCode::suspended}};

ServedState state_for(const serve::Served& served, const std::string& words) {
  if (api::is_scaled_to_zero(served.object)) return {"", job::State::waiting, CauseCode::idle};
  for (const ServedState& each : kServedStates)
    if (words == each.words) return each;
  return {"", job::State::waiting, CauseCode::starting};
}

Explained explained_state(Context& context, const serve::Served& served) {
  const std::string name = api::name_of(served.object);
  const std::string words = state_of_served(served, replicas_of(context.client(), served));
  const ServedState state = state_for(served, words);
  Explained made = explained(context, api::kind_name(served.object), name, state.state,
                             job::make_cause(state.code, words, name + ": " + words));
  made.text = name + ": " + words + "\n";
  return made;
}

/// Replaces the cause by that of the failure. `which` says whose failure it is.
void add_failure(const serve::RolloutFailure& failure, const std::string& which, const std::string& fix,
                 Explained& explained) {
  const std::string why = which + failure.cause;
  explained.text += "  why: " + why + "\n  fix: " + fix + "\n";
  job::Cause& cause = explained.verdict.causes[0];
  if (failure.code != CauseCode::none) cause = job::make_cause(failure.code, cause.brief, "");
  cause.summary = why;
  if (!failure.pod.empty()) cause.object = "pod " + failure.pod;
  const bool is_command = fix.starts_with("kml ");
  cause.remedies = {{is_command ? "print the log of its replicas" : fix, is_command ? fix : ""}};
  explained.log = failure.log;
}

/// A pod that starts, or that runs, may still become ready without a change.
std::string fix_now(const serve::RolloutFailure& failure, const std::string& name) {
  const bool starts = failure.code == CauseCode::none || failure.code == CauseCode::starting ||
                      failure.code == CauseCode::scheduling;
  const bool may_become_ready =
      failure.is_out_of_time && starts && !failure.pod.empty() && failure.fix == serve::kServeAgain;
  return may_become_ready ? "wait until it is ready; `kml serve logs " + name + "` shows what it does"
                          : failure.fix;
}

/// Explains why the activator neither passes requests on to the replicas nor starts them. Returns false if
/// the activator works.
bool explain_activator(Context& context, const std::string& name, Explained& explained) {
  const auto failure = follow_rollout(context, {serve::activator_name(name), serve::activator_selector(name)},
                                      std::chrono::seconds(0));
  if (!failure) return false;
  add_failure(*failure, "its activator does not run, so --idle has no effect or requests fail: ",
              "serve it again with a working --engine-image or --engine-account, or with --idle 0",
              explained);
  return true;
}

}  // namespace

std::optional<Explained> explain_served(Context& context, const std::string& name) {
  serve::Served served;
  try {
    served = serve::find_served(context.client(), context.target().namespace_name, name);
  } catch (const Error&) {
    return {};
  }
  Explained made = explained_state(context, served);
  const bool is_broken = !context.place().is_local && api::idle_limit_of(served.object) &&
                         explain_activator(context, name, made);
  if (api::is_scaled_to_zero(served.object)) {
    if (!is_broken)
      context.note("the next request to its address starts it; `kml serve list` shows the address");
    return made;
  }
  if (const auto failure = follow_rollout(context, serve::rollout_of(served), std::chrono::seconds(0)))
    add_failure(*failure, "", fix_now(*failure, name), made);
  return made;
}

}  // namespace kml::cli
