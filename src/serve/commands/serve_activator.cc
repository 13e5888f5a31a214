#include <chrono>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/job/views/interrupt.h"
#include "kml/local/front_proxy.h"
#include "kml/serve/model/activator.h"
#include "serve/commands/serve_view.h"

namespace kml::cli {

namespace {

struct ActivatorOptions {
  std::vector<std::string> names;
  std::optional<long long> port;
};

/// The settings for the proxy.
local::Front front_of(const std::string& name, int port, serve::ServedScale::State state) {
  local::Front front{.name = name,
                     .port = port,
                     .ready = {},
                     .idle = state.idle,
                     .problem = std::move(state.problem),
                     .is_hopeless = state.is_hopeless};
  for (serve::ServedScale::State::Replica& replica : state.ready)
    front.ready.push_back({std::move(replica.address), replica.port});
  return front;
}

/// Scales the Deployment as the requests require. Prints an error only once, and tries again, because
/// connections must survive while the API server is unavailable.
class Scaling {
 public:
  explicit Scaling(Context& context) : context_(context) {}

  void follow(local::FrontProxy::Demand demand, serve::ServedScale& served) {
    using Demand = local::FrontProxy::Demand;
    if (demand == Demand::none) return;
    try {
      demand == Demand::wanted ? served.wake() : served.rest();
      set("");
    } catch (const Error& error) {
      set(error.why.empty() ? error.message : error.message + ": " + error.why);
    }
  }

  /// Why scaling fails; empty if it works.
  const std::string& problem() const { return problem_; }
  /// Whether problem() has changed since the last call.
  bool take_change() { return std::exchange(has_changed_, false); }

 private:
  void set(const std::string& problem) {
    if (problem == problem_) return;
    has_changed_ = true;
    problem_ = problem;
    if (!problem.empty()) context_.note(problem);
  }

  Context& context_;
  std::string problem_;
  bool has_changed_ = false;
};

int run_activator(Context& context, const ActivatorOptions& options) {
  const std::string& name = options.names[0];
  const std::string namespace_name = context.target().namespace_name;
  const int port = static_cast<int>(options.port.value_or(8080));
  constexpr std::chrono::seconds kBetweenTries{2};
  const job::Interrupt interrupt;
  serve::ServedScale served(context.client(), namespace_name, name);
  local::FrontProxy proxy(state_folder());
  Scaling scaling(context);
  const int wake[] = {interrupt.fd(), proxy.fd()};
  try {
    for (;;) {
      context.client().transport().wait(kBetweenTries, wake);
      interrupt.check();
      proxy.require_running();
      const bool has_changed = served.take_change();
      if (scaling.take_change() || has_changed) {
        serve::ServedScale::State state = served.state();
        if (!scaling.problem().empty()) state.problem = scaling.problem();
        proxy.show(front_of(namespace_name + "/" + name, port, std::move(state)));
      }
      scaling.follow(proxy.demand(), served);
    }
  } catch (const Error& error) {
    if (error.code != ErrorCode::interrupted) throw;
  }
  context.note("waiting for the open connections to close");
  proxy.close();
  return 0;
}

}  // namespace

Command serve_activator_command() {
  auto options = std::make_shared<ActivatorOptions>();
  Command command{"activator",
                  "Forward the requests to a served program; used by the activator pod of --idle"};
  takes_served(command, options->names);
  command.option("--port", "N", options->port, "the port of its Service [default: 8080]")
      .details("The port of its Service, on which it listens. [default: 8080]");
  command.run = [options](Context& context) { return run_activator(context, *options); };
  command.hidden = true;
  return command;
}

}  // namespace kml::cli
