#include <algorithm>
#include <chrono>
#include <memory>
#include <ostream>

#include "cli/commands.h"
#include "job/commands/check_wheels.h"
#include "job/commands/test_only.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/base/text.h"
#include "kml/job/views/interrupt.h"
#include "kml/kube/objects/idle.h"
#include "kml/kube/objects/made_name.h"
#include "kml/serve/model/manifests.h"
#include "serve/commands/serve_front.h"
#include "serve/commands/serve_options.h"
#include "serve/commands/serve_planned.h"
#include "serve/commands/serve_view.h"
#include "serve/model/address.h"
#include "serve/model/front.h"
#include "serve/model/kserve.h"
#include "serve/model/revisions.h"
#include "serve/model/serve.h"

namespace kml::cli {

namespace {

serve::ServeSettings settings_of(const ServeOptions& options) {
  serve::ServeSettings settings{.name = options.words[0], .ready_path = options.ready};
  api::require_made_name("the model", settings.name, {.begins_with_letter = true});
  if (options.port) {
    if (*options.port < 1 || *options.port > 65535)
      throw usage_error("--port " + std::to_string(*options.port), "ports are numbers from 1 to 65535");
    settings.port = static_cast<int>(*options.port);
  }
  if (!options.form.empty() && options.form != "serve" && options.form != "kserve")
    throw usage_error("-t " + options.form, "kml serve has the templates serve and kserve",
                      "kml submit -t " + options.form);
  settings.by_kserve = options.form == "kserve";
  if (settings.by_kserve && options.idle)
    throw usage_error("--idle cannot be used with -t kserve",
                      "kml cannot scale the Deployments of KServe to zero", "leave out one of them");
  if (options.replicas == 0)
    throw usage_error("--replicas 0", "nothing would answer",
                      "--idle 10m stops the replicas while no requests come; `kml serve stop " +
                          settings.name + "` stops the program");
  settings.replicas = options.replicas;
  settings.idle = options.idle;
  for (const auto& [flag, path] :
       {std::pair("--ready", &options.ready), std::pair("--probe-path", &options.probe_path)})
    if (!path->empty() && !path->starts_with('/'))
      throw usage_error(std::string(flag) + " " + *path, "a path starts with \"/\"",
                        std::string(flag) + " /" + *path);
  if (!options.probe.empty() && Json::parse(options.probe, nullptr, false).is_discarded())
    throw usage_error("--probe is not JSON", "kml sends it as the JSON body of a request",
                      R"(--probe '{"x": [1, 2]}', in single quotes)");
  return settings;
}

/// Sends the request of --probe, and prints the response.
void try_it(Context& context, const ServeOptions& options, const serve::ServeSettings& settings,
            const std::string& url) {
  if (options.probe.empty()) return;
  const std::string service =
      settings.by_kserve ? serve::service_by_kserve(settings.name) : settings.name + ":" + serve::kPortName;
  const http::Response response = serve::post_to_served(
      context.client(), context.target().namespace_name, service, context.place().is_local ? url : "",
      options.probe_path.empty() ? "/" : options.probe_path, options.probe);
  context.streams().out << response.body << (response.body.ends_with('\n') ? "" : "\n") << std::flush;
  if (response.status >= 400)
    throw Error(ErrorCode::job_failed, settings.name + " answered the request of --probe with status " +
                                           std::to_string(response.status));
}

/// Rolls back an update, or records a first failure. Returns whether the failed revision was replaced.
bool undo_if_update(Context& context, const serve::RolloutFailure& failure, const serve::ServePlan& plan) {
  if (plan.deployment_before) return undo(context, failure, *plan.deployment_before);
  serve::note_first_failure(context.client(), context.target().namespace_name, plan.settings.name,
                            failure.cause);
  const bool has_front = plan.settings.idle.value_or(std::chrono::seconds(0)).count() > 0;
  if (has_front && !plan.settings.by_kserve && !context.place().is_local)
    context.note("--idle has no effect until you serve the program again");
  return false;
}

[[noreturn]] void fail(Context& context, const serve::RolloutFailure& failure, const serve::ServePlan& plan,
                       std::chrono::seconds limit) {
  const std::string& name = plan.settings.name;
  print_last_lines(context, failure);
  const bool is_undone = undo_if_update(context, failure, plan), has_log = !failure.log.empty();
  if (failure.is_out_of_time && !is_undone) throw not_ready_in_time(context, name, failure, limit);
  if (!plan.deployment_before)
    throw Error(
        ErrorCode::job_failed, name + " does not run", failure.cause,
        failure.fix + (has_log ? ", then `kml serve stop " + name + "`, or " + serve::kServeAgain : ""));
  throw Error(ErrorCode::job_failed, "the update of " + name + " failed", failure.cause,
              has_log ? serve::kServeAgain : failure.fix);
}

/// Prints the address of the served model, and returns it.
std::string report_served(Context& context, const serve::Served& served, const serve::ServeSettings& settings,
                          std::chrono::steady_clock::time_point started) {
  const long long replicas = int_at(served.deployment, {"spec", "replicas"});
  const std::string count = std::to_string(replicas);
  std::string url = served.is_by_kserve()
                        ? serve::address_of(served.object)
                        : serve::reachable_url(context.client(), context.target().namespace_name,
                                               settings.name, context.place().is_local, job::Interrupt());
  context.note(settings.name + ": " + count + " of " + count + " replicas ready, revision " +
               std::to_string(serve::revision_number(served.deployment)) + ", after " +
               short_duration(std::chrono::steady_clock::now() - started));
  context.streams().out << url << std::endl;
  if (!context.place().is_local)
    context.note("this address works inside the cluster; `kml port " + settings.name + " " +
                 serve::port_to_forward(settings, url) + "` makes it reachable from here");
  return url;
}

void check_plan_of_serve(const ServeOptions& options) {
  if (options.dry_run && options.plan.is_given())
    throw not_together("--plan", "--dry-run", "the plan has the manifests");
  if (!options.plan.output.empty() && !options.plan.is_given()) throw usage_error("-o needs --plan");
}

int run_serve(Context& context, const ServeOptions& options) {
  check_plan_of_serve(options);
  const serve::ServeSettings settings = settings_of(options);
  check_activator_flags(
      context, settings, options.activator,
      !context.place().is_local && !options.dry_run &&
          serve::has_activator(context.client(), context.target().namespace_name, settings.name));
  const job::SubmitPlan job = cli::plan(context, flags_of_pod(context, options));
  if (!options.plan.is_given())
    for (const std::string& note : job.notes) context.note(note);
  if (options.dry_run) return print_serve_manifests(context, options, settings, job);
  if (const auto planned = plan_to_apply(context))
    require_unchanged(*planned, plan_of_serve(context, options, settings));
  else if (options.plan.is_given())
    return write_serve_plan(context, options, settings, job);
  context.tell_target();
  const auto started = std::chrono::steady_clock::now();
  const serve::ServePlan plan =
      serve::plan_serve(context.client(), settings,
                        wanted_deployment(job.objects.at(0), settings, options.inputs), job.belongings);
  Json as_planned = plan.deployment;
  as_planned["spec"]["replicas"] = serve::planned_replicas(settings, plan.deployment_before.value_or(Json()));
  refuse_hopeless(context, {as_planned}, plan.belongings, "");
  check_wheels(context, {plan.deployment}, job.packages);
  const std::chrono::seconds limit = options.timeout.value_or(serve::kRolloutLimit);
  if (const auto failure =
          serve::serve(context.client(), context.target().endpoint.url, plan, limit, rollouts_of(context)))
    fail(context, *failure, plan, limit);
  const serve::Served served =
      serve::find_served(context.client(), context.target().namespace_name, settings.name);
  const Json& done = serve::require_deployment(served, "replicas");
  if (!context.place().is_local && !settings.by_kserve) set_front(context, done, options.activator);
  if (int_at(done, {"spec", "replicas"}) == 0 && !api::is_scaled_to_zero(done))
    throw Error(ErrorCode::failure, settings.name + " is not served: it has 0 replicas", "",
                "serve it again with --replicas 1");
  serve::note_outcome(context.client(), done, "");
  try_it(context, options, settings, report_served(context, served, settings, started));
  return 0;
}

std::vector<ManualSection> sections_of_serve() {
  return {
      {"Scale to zero",
       R"(With --idle DURATION, the program is scaled to zero after this time without a request, which frees its memory
and GPUs. The next request waits until a replica is ready again. If no replica becomes ready within two minutes, or if
the new replica crashes, the request fails with status 503 and the cause. At most 256 connections wait. Only requests
to the printed address reset the idle timer. A request in progress keeps the program running, even if it sends nothing;
an open connection without a request does not. A WebSocket or TLS connection is a request in progress until it closes.

On a cluster, all requests go through the activator, a small pod that runs --engine-image. The activator's account
needs these rights: list, watch and update this Deployment; list and watch this Service and pods. Of the labels in
--node-selector, those that start with kubernetes.io/ or topology.kubernetes.io/ also apply to the activator's pod. If
the activator is killed, its connections break, and new connections fail until its next pod is ready.)"},
      {"KServe",
       R"(With -t kserve, kml makes an InferenceService for the same pods, and KServe (0.15 or later) makes the
Deployment and the Service NAME-predictor, without Knative. Updates, rollbacks and the other commands of `kml serve`
work as they do for a Deployment. KServe adds its own defaults. A container without --cpu and --memory gets the values
in KServe's configuration. --idle is not available with -t kserve. Give -t kserve with each update, too.

`kml serve list` and `status` also show InferenceServices that others made. `logs` and `revisions` work with those that
run without Knative. kml changes none of them.)"}};
}

}  // namespace

Command serve_command() {
  auto options = std::make_shared<ServeOptions>();
  Command command{"serve", "Serve a model over HTTP, update it without downtime, and undo a bad update"};
  command.description =
      R"(kml runs the command as a Deployment with a Service. The command must listen on the port in its variable PORT.
Write $(PORT) in the command's arguments, in single quotes, or let the program read the variable. kml waits until the
replicas are ready, prints the address, and returns; the replicas keep running.

To update a program, serve the same name again. New replicas start beside the old ones. An old replica stops once a
new one is ready and its own requests are finished, or after --grace (60s by default, at least 10s). If the new
replicas crash or do not become ready, kml prints the cause and rolls back to the last ready revision.

On this machine, the address is a port on 127.0.0.1, and each replica has a separate port. In a cluster, the address is
that of the Service; `kml port NAME 8080` makes it reachable from your machine. Updates and rollbacks keep the address
until `kml serve stop`, even if --port changes.)";
  command.manual = sections_of_serve;
  command.examples = R"(# Serve a folder, and print the address
kml serve files -- sh -c 'exec python3 -m http.server $PORT'
# Two replicas, ready once GET /health succeeds; request a prediction
kml serve iris --replicas 2 --ready /health --probe '{"x": [5.1, 3.5, 1.4, 0.2]}' --probe-path /predict --code . -- python serve.py
# Free its GPU after ten idle minutes; the next request starts it again
kml serve iris --idle 10m -- python serve.py
# The same as an InferenceService, on a cluster with KServe
kml serve iris -t kserve --image iris:2 -- python serve.py)";
  command.headings = {"Program",          "When it is idle", "When it is ready", "Resources",
                      "Data and secrets", "Where it runs",   "Labels and output"};
  command.options_under("Program");
  command.takes_name(options->words, "name of the program, and of its Deployment and Service", 1)
      .details("The name of the program, and of its Deployment and Service.");
  command.options_under("When it is idle");
  command
      .option("--idle", "DURATION", options->idle,
              "scale to zero after this long without a request; 0 turns it off")
      .details(
          "Scale to zero after this long without a request; the next request waits until a replica is ready "
          "again. An update without this flag keeps the setting; `--idle 0` turns it off. On a cluster, "
          "--idle needs --engine-image the first time.");
  add_activator_flags(command, options->activator);
  command.options_under("When it is ready");
  command
      .option("--ready", "PATH", options->ready,
              "a replica is ready when GET of this path succeeds; by default, when its port is open")
      .details(
          "Treat a replica as ready, and send it requests, when GET of this path returns a status from 200 "
          "to 399. By default, a replica is ready when its port accepts connections.");
  command
      .option("--probe", "JSON", options->probe,
              "when the program is ready, send this JSON and print the answer")
      .details(
          "When the replicas are ready, send this JSON in a POST request and print the answer. A status of "
          "400 or more is an error. In a cluster, the request goes through the API server.");
  command.option("--probe-path", "PATH", options->probe_path, "path of the --probe request [default: /]")
      .details("The path of the --probe request. [default: /]");
  command
      .option("--timeout", "DURATION", options->timeout,
              "how long the replicas may take to become ready [default: 10m]")
      .details(
          "How long the replicas may take to become ready. After this time, kml returns from a new revision "
          "to the last one that was ready. If that is not possible, kml exits with code 5, but the replicas "
          "keep starting until `kml serve stop`. [default: 10m]");
  command.options_under("Data and secrets");
  command
      .option("--input", "NAME=ARTIFACT", options->inputs,
              "give the command an artifact (RUN/STEP.OUTPUT) or a file (./FILE) as ${in.NAME}")
      .details(
          "Replace ${in.NAME} in the command with the path of an artifact, or of a file or folder (./FILE). "
          "On this machine, kml pins the artifact, so that `kml gc` keeps it, until you run "
          "`kml artifact unpin`. On a cluster, only artifacts of a run with --store pvc/NAME can be given; "
          "their volume is mounted read-only. May be repeated.");
  add_spec_flags(command, options->flags.settings,
                 {"name", "template", "nodes", "queue", "retries", "time-limit", "ttl", "array", "param",
                  "set", "topology", "data", "data-store"},
                 {{"What runs", "Program"},
                  {"Queue and priority", "Where it runs"},
                  {"Retries and time limits", "Labels and output"},
                  {"Labels and identity", "Labels and output"}});
  command.find("--grace")->after("--annotation");
  command.options_under("Program");
  command
      .option("-t,--template", "NAME", options->form,
              "what to create: serve, or kserve for a KServe InferenceService [default: serve]")
      .details(
          "What to create. `serve` is a Deployment and a Service. `kserve` is an InferenceService, for which "
          "KServe creates a Deployment and a Service. [default: serve]");
  command
      .option("--port", "N", options->port,
              "port that the command listens on, in its variable PORT [default: 8080]")
      .details(
          "The port that the command listens on, and the value of its variable PORT. The Service gets the "
          "same port when it is created, and keeps that port. On this machine, each replica gets a free port "
          "in "
          "PORT instead. [default: 8080]");
  command
      .option("--replicas", "N", options->replicas,
              "how many copies to run; an update keeps the number [default: 1]")
      .details(
          "How many copies of the command to run. An update without this flag keeps the number. [default: "
          "1]");
  command.options_under("Labels and output");
  command.flag("--dry-run", options->dry_run, "print the manifests and send nothing")
      .after("--grace")
      .details("Print the manifests as YAML, and contact no server.");
  add_plan_flags(command, options->plan);
  command.argv = &options->flags.command;
  command.needs_argv = true;
  command.run = [options](Context& context) { return run_serve(context, *options); };
  for (Command (*make)() :
       {serve_list_command, serve_status_command, serve_logs_command, serve_revisions_command,
        serve_rollback_command, serve_stop_command, serve_activator_command})
    command.subcommands.push_back(make());
  return command;
}

}  // namespace kml::cli
