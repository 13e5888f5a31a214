#include <arpa/inet.h>
#include <netinet/in.h>
#include <sys/socket.h>

#include <chrono>
#include <cstdint>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "cli/manual_sections.h"
#include "job/commands/submit_request.h"
#include "job/commands/test_only.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/job/records/records.h"
#include "kml/job/submit/belongings.h"
#include "kml/job/submit/create.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/labels.h"
#include "kml/kube/objects/made_name.h"
#include "kml/kube/objects/object.h"
#include "kml/serve/model/manifests.h"
#include "kml/serve/model/revisions.h"
#include "kml/ui/objects.h"
#include "serve/commands/serve_front.h"
#include "serve/commands/serve_inputs.h"
#include "serve/commands/serve_view.h"

namespace kml::cli {

namespace {

struct ServeOptions {
  std::vector<std::string> words, inputs;
  SubmitFlags flags;
  std::optional<long long> port, replicas;
  std::optional<std::chrono::seconds> timeout, idle;
  std::string ready, probe, probe_path;
  ActivatorFlags activator;
  bool dry_run = false;
};

jobs::ServeSettings settings_of(const ServeOptions& options) {
  jobs::ServeSettings settings{.name = options.words[0], .ready_path = options.ready};
  api::require_made_name("the model", settings.name, {.begins_with_letter = true});
  if (options.port) {
    if (*options.port < 1 || *options.port > 65535)
      throw usage_error("--port " + std::to_string(*options.port), "ports are numbers from 1 to 65535");
    settings.port = static_cast<int>(*options.port);
  }
  settings.replicas = options.replicas;
  settings.idle = options.idle;
  for (const auto& [flag, path] :
       {std::pair("--ready", &options.ready), std::pair("--probe-path", &options.probe_path)})
    if (!path->empty() && !path->starts_with('/'))
      throw usage_error(std::string(flag) + " " + *path, "a path begins with \"/\"",
                        std::string(flag) + " /" + *path);
  if (!options.probe.empty() && Json::parse(options.probe, nullptr, false).is_discarded())
    throw usage_error("--probe is not JSON", "it is the body of a request",
                      R"(--probe '{"x": [1, 2]}', in single quotes)");
  return settings;
}

/// Replaces settings of kml.yaml with which the job would not be a single pod.
SubmitFlags flags_of_pod(Context& context, const ServeOptions& options) {
  SubmitFlags flags = options.flags;
  for (const auto& [name, value] :
       {std::pair("name", options.words[0].c_str()), std::pair("template", "job"), std::pair("nodes", "1")})
    flags.settings.push_back({name, value, {spec::Source::flag, "kml serve"}});
  give_inputs(context, options.inputs, flags);
  flags.usage = "kml serve NAME [flags] -- COMMAND ARGUMENT...";
  return flags;
}

const api::ResourceKind& deployment_kind() {
  return *api::find_kind("apps/v1", "Deployment");
}
const api::ResourceKind& service_kind() {
  return *api::find_kind("v1", "Service");
}

/// The object of that name that an earlier `kml serve` made. Throws Error if another one has the name.
std::optional<Json> own_object(Context& context, const api::ResourceKind& kind, const std::string& name) {
  auto found = context.client().get_if_exists(kind, context.target().namespace_name, name);
  if (found && api::label_of(*found, api::kServe) != name)
    throw Error(ErrorCode::failure, std::string(kind.kind) + " " + name + " was not made by kml serve",
                "kml does not change it", "choose another name");
  return found;
}

/// Creates the Deployment, or updates it.
Json apply_deployment(Context& context, const Json& wanted, const jobs::ServeSettings& settings,
                      std::optional<Json> existing) {
  const std::string namespace_name = api::namespace_of(wanted);
  if (!existing) return jobs::create_once(context.client(), namespace_name, wanted);
  constexpr int kTries = 10;  // its controller may write it at the same time
  for (int attempt = 1;; ++attempt) try {
      return context.client().replace(deployment_kind(), namespace_name,
                                      jobs::updated_deployment(*existing, wanted, settings));
    } catch (const Error& error) {
      if (error.reason != "Conflict" || attempt == kTries) throw;
      existing = context.client().get(deployment_kind(), namespace_name, settings.name);
    }
}

Json apply_service(Context& context, const Json& deployment, int port, const std::optional<Json>& existing) {
  Json wanted = jobs::serve_service(deployment, port);
  wanted["metadata"]["ownerReferences"] = Json::array({api::owner_reference(deployment)});
  const std::string namespace_name = api::namespace_of(wanted);
  if (!existing) return context.client().create(service_kind(), namespace_name, wanted);
  if (int_at(array_at(*existing, {"spec", "ports"}).at(0), {"port"}) == port) return *existing;
  return context.client().patch(service_kind(), namespace_name, api::name_of(wanted), kube::PatchType::merge,
                                {{"spec", {{"ports", wanted["spec"]["ports"]}}}});
}

/// Whether a connection to the port of this machine is accepted.
bool accepts_connections(int port) {
  const Fd socket(::socket(AF_INET, SOCK_STREAM, 0));
  sockaddr_in address{};
  address.sin_family = AF_INET;
  address.sin_port = htons(static_cast<uint16_t>(port));
  address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  return ::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0;
}

/// The URL, once the Service answers. The embedded server gives it a port a moment after its creation.
std::string reachable_url(Context& context, const std::string& name) {
  const bool is_local = context.place().is_local;
  const jobs::Interrupt interrupt;
  for (int attempt = 0;; ++attempt) {
    const Json service = context.client().get(service_kind(), context.target().namespace_name, name);
    std::string url = url_of(is_local, service);
    if (!url.empty() && (!is_local || accepts_connections(std::stoi(url.substr(url.rfind(':') + 1)))))
      return url;
    constexpr int kTries = 500;
    if (attempt == kTries)
      throw Error(ErrorCode::unreachable, "service " + name + " does not answer",
                  "the embedded server has not opened its port", "see the log that `kml local status` names");
    interrupt.pause(std::chrono::milliseconds(10));
  }
}

/// Sends the request of --probe and prints the answer. In a cluster, by way of the API server.
void try_it(Context& context, const ServeOptions& options, const jobs::ServeSettings& settings,
            const std::string& url) {
  if (options.probe.empty()) return;
  const std::string path = options.probe_path.empty() ? "/" : options.probe_path;
  http::Request request{.method = "POST", .path = path, .body = options.probe};
  request.headers = {{"Content-Type", "application/json"}};
  http::Response response;
  if (context.place().is_local) {
    response = http::make_curl_transport({.url = url})->send(request);
  } else {
    request.path = service_kind().path(context.target().namespace_name,
                                       settings.name + ":" + std::to_string(settings.port), "proxy") +
                   path;
    response = context.client().transport().send(request);
  }
  context.streams().out << response.body << (response.body.ends_with('\n') ? "" : "\n") << std::flush;
  if (response.status >= 400)
    throw Error(ErrorCode::job_failed, settings.name + " answered the request of --probe with status " +
                                           std::to_string(response.status));
}

/// Goes back to the revision before, and throws the error.
[[noreturn]] void undo(Context& context, const jobs::RolloutFailure& failure,
                       const std::optional<Json>& before, const std::string& name) {
  print_last_lines(context, failure);
  const bool has_log = !failure.log.empty();
  if (!before)
    throw Error(
        ErrorCode::job_failed, name + " does not run", failure.cause,
        failure.fix + (has_log ? ", then `kml serve stop " + name + "`, or " + jobs::kServeAgain : ""));
  undo_rollout(context, name, failure, *before);
  throw Error(ErrorCode::job_failed, "the update of " + name + " failed", failure.cause,
              has_log ? jobs::kServeAgain : failure.fix);
}

int print_manifests(Context& context, const jobs::SubmitPlan& plan, const jobs::ServeSettings& settings,
                    const ActivatorFlags& flags) {
  std::vector<Json> shown;
  for (const jobs::Belonging& belonging : plan.belongings) shown.push_back(belonging.object);
  shown.push_back(jobs::serve_deployment(jobs::without_secrets(plan.objects.at(0)), settings));
  const Json deployment = shown.back();
  const std::vector<Json> activator = activator_manifests(context, deployment, settings.port, flags);
  shown.push_back(jobs::serve_service(deployment, settings.port, !activator.empty()));
  shown.insert(shown.end(), activator.begin(), activator.end());
  ui::print_objects(context.streams(), shown, "yaml", true);
  return 0;
}

int run_serve(Context& context, const ServeOptions& options) {
  const jobs::ServeSettings settings = settings_of(options);
  check_activator_flags(
      context, settings, options.activator,
      !context.place().is_local && !options.dry_run && has_activator(context, settings.name));
  const jobs::SubmitPlan plan = cli::plan(context, flags_of_pod(context, options));
  if (options.dry_run) return print_manifests(context, plan, settings, options.activator);
  Json wanted = jobs::serve_deployment(plan.objects.at(0), settings);
  if (const std::string run = environment(jobs::kServedByVariable); !run.empty())
    wanted["metadata"]["annotations"][std::string(jobs::kServedBy)] = run;
  if (!options.inputs.empty())
    wanted["metadata"]["annotations"][std::string(jobs::kServedInputs)] = inputs_in_words(options.inputs);
  context.tell_target();
  const auto started = std::chrono::steady_clock::now();
  const auto before = own_object(context, deployment_kind(), settings.name),
             service = own_object(context, service_kind(), settings.name);
  if (before) {
    replace_unready(*before, wanted);
    jobs::note_if_ready(context.client(), *before);
  }
  refuse_hopeless(context, {wanted}, plan.belongings, "");
  for (const std::string& note : plan.notes) context.note(note);
  jobs::Belongings belongings(context.client(), context.target().endpoint.url, plan.belongings, {wanted});
  std::optional<jobs::RolloutFailure> failure;
  try {
    belongings.create();
    const Json deployment = apply_deployment(context, wanted, settings, before);
    apply_service(context, deployment, settings.port, service);
    failure = follow_rollout(context, settings.name, options.timeout.value_or(kRolloutLimit));
    // A Secret is deleted with the revision that uses it.
    if (!plan.belongings.empty())
      belongings.hand_over({jobs::served_revisions(context.client(), deployment).at(0).set});
  } catch (...) {
    belongings.give_up();
    throw;
  }
  if (failure) undo(context, *failure, before, settings.name);
  const Json done = jobs::find_served(context.client(), context.target().namespace_name, settings.name);
  if (!context.place().is_local) set_front(context, done, settings.port, options.activator);
  const long long replicas = int_at(done, {"spec", "replicas"});
  if (replicas == 0 && !api::is_scaled_to_zero(done))
    throw Error(ErrorCode::failure, settings.name + " is not served: it has 0 replicas", "",
                "serve it again with --replicas 1");
  jobs::note_outcome(context.client(), done, "");
  const std::string url = reachable_url(context, settings.name);
  context.note(settings.name + ": " + std::to_string(replicas) + " of " + std::to_string(replicas) +
               " replicas ready, revision " + std::to_string(jobs::revision_number(done)) + ", after " +
               short_duration(std::chrono::steady_clock::now() - started));
  context.streams().out << url << std::endl;
  if (!context.place().is_local)
    context.note("this address works inside the cluster; `kml port " + settings.name + " " +
                 std::to_string(settings.port) + "` makes it reachable from here");
  try_it(context, options, settings, url);
  return 0;
}

}  // namespace

Command serve_command() {
  auto options = std::make_shared<ServeOptions>();
  Command command{"serve", "Serve a model over HTTP: start it, update it without a gap, undo a bad update"};
  command.description =
      R"(kml runs the command as a Deployment with a Service in front of it. The command must listen at the port in its
variable PORT: write $(PORT) in its arguments, in single quotes, or read the variable. kml waits until the replicas are ready,
prints the address, and returns; the replicas keep running.

Serve the same name again to update it. New replicas start beside the old ones, and an old one stops once a new one is ready
and the old one's requests have ended, or after --grace (30s). If the new ones crash or do not become ready, kml says why and goes back to the
revision before.

On this machine, the address is a port of 127.0.0.1 that stays the same until `kml serve stop`, and each replica has a port of
its own. In a cluster, the address is that of the Service; `kml port NAME 8080` makes it reachable from your machine.)";
  command.manual = sections_of_serve;
  command.examples = R"(# Serve a folder, and print the address
kml serve files -- sh -c 'exec python3 -m http.server $PORT'
# Two replicas that are ready once GET /health succeeds; ask for a prediction
kml serve iris --replicas 2 --ready /health --probe '{"x": [5.1, 3.5, 1.4, 0.2]}' --probe-path /predict --code . -- python serve.py
# Free its GPU after ten minutes without a request; the next request starts it again
kml serve iris --idle 10m -- python serve.py
# What runs, and at which address
kml serve list)";
  command.takes_name(options->words, "a name, also for the Deployment and the Service", 1);
  command.option("--input", "NAME=ARTIFACT", options->inputs,
                 "give the command an artifact, RUN/STEP.OUTPUT, or a file, ./FILE, as ${in.NAME}");
  command.option("--port", "N", options->port, "port at which the command listens, its variable PORT (8080)");
  command.option("--replicas", "N", options->replicas, "how many copies run; the default is as before, or 1");
  command.option("--ready", "PATH", options->ready,
                 "a replica is ready when GET of this path succeeds; the default is when its port is open");
  command.option("--probe", "JSON", options->probe, "when it is ready, post this to it and print the answer");
  command.option("--probe-path", "PATH", options->probe_path, "path of the request of --probe (/)");
  command.option("--idle", "DURATION", options->idle,
                 "scale to zero after so long without a request, and back when one comes; 0 ends that");
  add_activator_flags(command, options->activator);
  command.option("--timeout", "DURATION", options->timeout,
                 "how long the replicas may take to become ready (10m)");
  command.flag("--dry-run", options->dry_run, "print the manifests and send nothing");
  add_spec_flags(
      command, options->flags.settings,
      {"name", "template", "nodes", "queue", "retries", "time-limit", "ttl", "array", "param", "set"});
  command.argv = &options->flags.command;
  command.run = [options](Context& context) { return run_serve(context, *options); };
  for (Command (*make)() :
       {serve_list_command, serve_status_command, serve_logs_command, serve_revisions_command,
        serve_rollback_command, serve_stop_command, serve_activator_command})
    command.subcommands.push_back(make());
  return command;
}

}  // namespace kml::cli
