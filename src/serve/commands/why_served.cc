#include "serve/commands/why_served.h"

#include <chrono>
#include <optional>
#include <ostream>

#include "kml/base/error.h"
#include "kml/base/json.h"
#include "kml/kube/objects/idle.h"
#include "kml/serve/model/activator.h"
#include "kml/serve/model/rollout.h"
#include "serve/commands/serve_view.h"

namespace kml::cli {

namespace {

void explain(Context& context, const serve::RolloutFailure& failure, const std::string& cause,
             const std::string& fix) {
  context.streams().out << "  why: " << cause << failure.cause << "\n  fix: " << fix << "\n";
  print_last_lines(context, failure);
}

/// Explains why the activator neither passes requests on to the replicas nor starts them. Returns false if
/// the activator works.
bool explain_activator(Context& context, const std::string& name) {
  const auto failure = follow_rollout(context, {serve::activator_name(name), serve::activator_selector(name)},
                                      std::chrono::seconds(0));
  if (!failure) return false;
  explain(context, *failure, "its activator does not run, so --idle has no effect or requests fail: ",
          "serve it again with a working --engine-image or --engine-account, or with --idle 0");
  return true;
}

}  // namespace

bool explain_served(Context& context, const std::string& name) {
  serve::Served served;
  try {
    served = serve::find_served(context.client(), context.target().namespace_name, name);
  } catch (const Error&) {
    return false;
  }
  const std::string state = state_of_served(served, replicas_of(context.client(), served));
  context.streams().out << name << ": " << state << "\n";
  const bool is_broken =
      !context.place().is_local && api::idle_limit_of(served.object) && explain_activator(context, name);
  if (api::is_scaled_to_zero(served.object)) {
    if (!is_broken)
      context.note("the next request to its address starts it; `kml serve list` shows the address");
    return true;
  }
  if (const auto failure = follow_rollout(context, serve::rollout_of(served), std::chrono::seconds(0)))
    explain(context, *failure, "", failure->fix);
  return true;
}

}  // namespace kml::cli
