#include <algorithm>
#include <memory>
#include <string>
#include <vector>

#include "cli/commands.h"
#include "cli/context.h"
#include "kml/base/error.h"
#include "kml/base/flag_errors.h"
#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/kube/kubeconfig/kubeconfig.h"
#include "live/commands/feed.h"
#include "live/commands/ui_terminal.h"
#include "live/commands/ui_web.h"
#include "live/screen/columns.h"

namespace kml::cli {

namespace {

struct UiOptions {
  std::vector<std::string> words;
  std::string output;
  WebOptions web;
};

std::vector<std::string> view_names() {
  std::vector<std::string> names;
  for (const live::View view : live::kAllViews) names.emplace_back(live::name_of(view));
  return names;
}

live::View view_in(const UiOptions& options) {
  if (options.words.empty()) return live::View::queue;
  const std::string& word = options.words[0];
  if (const auto view = live::view_of_word(word)) return *view;
  throw usage_error("no view \"" + word + "\"", "",
                    suggestion(word, view_names(), "the views are " + join(view_names(), ", ")));
}

/// The contexts in --context A,B. A context's own name may have a comma.
std::vector<std::string> contexts_in(const GlobalOptions& options) {
  if (options.context.empty()) return {};
  const std::vector<std::string> known = kube::context_names({options.kubeconfig, "", ""});
  if (std::ranges::find(known, options.context) != known.end()) return {options.context};
  std::vector<std::string> contexts;
  for (const std::string& name : split(options.context, ','))
    if (const std::string context(trim(name));
        !context.empty() && std::ranges::find(contexts, context) == contexts.end())
      contexts.push_back(context);
  return contexts;
}

/// A cluster that kml ui shows, with the options for commands on this cluster.
struct Shown {
  GlobalOptions options;
  Place place;
};

/// Throws usage Error for a context that does not exist.
std::vector<Shown> shown_clusters(Context& context) {
  const std::vector<std::string> contexts = contexts_in(context.options());
  if (contexts.size() < 2) return {{pinned_options(context), context.place()}};
  std::vector<Shown> all;
  for (const std::string& name : contexts) {
    GlobalOptions options = context.options();
    options.context = name;
    all.push_back({options, Context(options, context.streams()).place()});
  }
  return all;
}

int run_ui(Context& context, const UiOptions& options) {
  const live::View view = view_in(options);
  check_web_flags(options.web);
  context.keep_server_down();
  if (options.web.is_wanted && !options.output.empty()) throw not_together("--web", "--output");
  if (options.output == "json" && contexts_in(context.options()).size() < 2) return run_feed(context);
  std::vector<live::Source> sources;
  std::vector<live::Scope> scopes;
  const std::vector<Shown> clusters = shown_clusters(context);
  for (const Shown& cluster : clusters) {
    sources.push_back({cluster.place.context, same_kml(cluster.options, {"ui", "-o", "json"}),
                       cluster.place.namespace_name});
    scopes.push_back({cluster.place.context, cluster.place.namespace_name});
  }
  if (options.output == "json") return run_feeds(context, std::move(sources));
  if (options.web.is_wanted) {
    live::Model model(std::move(sources));
    const std::string first_view = options.words.empty() ? "" : std::string(live::name_of(view));
    return run_web(context, clusters[0].options, options.web, model, first_view);
  }
  return run_terminal(context, clusters[0].options, std::move(sources), scopes, view);
}

}  // namespace

Command ui_command() {
  auto options = std::make_shared<UiOptions>();
  Command command{"ui", "Show jobs, queues, nodes, runs, sweeps and pipelines live, on the full screen"};
  command.description =
      R"(If a job or a run waits or has failed, its row shows why. Enter opens a job, and shows its metrics,
its log and the reason for its state, as they change. `?` lists the keys; most are the same as in k9s and vi. A key
that changes something asks for confirmation first.

With --context A,B, kml shows several clusters side by side. If a cluster does not answer, kml says so in one line, keeps
the cluster's last rows, and tries again.

With --web, kml shows the same in a browser on this machine, with the graphs of pipelines, the plots of sweeps, and
runs side by side. `kml ui --web --once FILE.html` writes this page once, as a file that needs no network.

For positions in the queue, kml counts all jobs that you may see. The list has the jobs of your namespace; the key
0 shows all jobs. With -o json, kml prints the rows and then each change as a line of JSON, until it is
interrupted.)";
  command.examples = R"(kml ui
# In a browser, with buttons that cancel, suspend, resume and rerun jobs
kml ui --web --actions
# As a file, to send to a colleague
kml ui --web --once now.html
# Each change as a line of JSON
kml ui -o json)";
  command.takes("VIEW", options->words, "the view to start with: " + join(view_names(), ", "), 0, 1);
  command.choice("-o,--output", {"json"}, options->output, "print rows and changes as lines of JSON instead")
      .details("Print the rows, and then each change, as lines of JSON, until interrupted.");
  add_web_flags(command, options->web);
  command.run = [options](Context& context) { return run_ui(context, *options); };
  return command;
}

}  // namespace kml::cli
