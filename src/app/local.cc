#include <algorithm>
#include <map>
#include <memory>
#include <ostream>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/output_format.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/spec/gpu_types.h"
#include "kml/local/daemon.h"
#include "kml/sweep/journal/journal.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"
#include "sweep/commands/sweep_selection.h"

namespace kml::cli {

namespace {

struct ImageOptions {
  std::vector<std::string> words;
  std::vector<std::string> command;
};

int run_image(Context& context, const ImageOptions& options) {
  const std::string& word = options.words[0];
  size_t equals = word.find('=');
  std::string image = word.substr(0, equals);
  std::vector<std::string> command = options.command;
  if (equals == std::string::npos && command.empty())
    throw usage_error("no command for image \"" + image + "\"", "",
                      "IMAGE=PROGRAM, or IMAGE -- PROGRAM ARGUMENT...; IMAGE= removes the entry");
  if (std::string program = equals == std::string::npos ? "" : word.substr(equals + 1); !program.empty())
    for (const std::string& part : split(program, ' '))
      if (!part.empty()) command.push_back(part);
  local::set_image({}, image, command);
  context.streams().out << "image " << image
                        << (command.empty() ? " has no program now" : " runs " + shell_quoted(command))
                        << "\n";
  return 0;
}

/// Declares the command `kml local image IMAGE=PROGRAM`.
Command local_image_command() {
  auto options = std::make_shared<ImageOptions>();
  Command command{"image", "Set the program that runs in place of an image on this machine"};
  command.examples = R"(kml local image trainer:1=./train.sh
# With arguments
kml local image trainer:1=python -- train.py
# Remove the entry
kml local image trainer:1=)";
  command.description =
      R"(The program runs for manifests without a command. On a cluster, such manifests run the image's entrypoint.
IMAGE= without a program removes the entry.)";
  command.takes("IMAGE=PROGRAM", options->words, "the image, as written in manifests, and a program", 1, 1);
  command.argv = &options->command;
  command.run = [options](Context& context) { return run_image(context, *options); };
  return command;
}

struct LocalOptions {
  local::ServeOptions serve;
  std::optional<long long> port, pod_max_pids;
  std::string fake_gpus, folder, output;
  bool stop_jobs = false, force = false;
};

/// Parses the number of simulated GPUs: "2", "a100:4" or "mig-1g.5gb:7". The optional first part is a
/// product, which becomes the node's label, or a type of MIG slice. --node-label takes precedence.
void pretend_gpus(const std::string& text, local::ServeOptions& serve) {
  const size_t colon = text.rfind(':');
  const std::string type = colon == std::string::npos ? "" : text.substr(0, colon);
  const std::string number = text.substr(colon + 1);  // npos + 1 is 0
  constexpr size_t kMostDigits = 4;
  const bool is_number = !number.empty() && number.size() <= kMostDigits &&
                         number.find_first_not_of("0123456789") == std::string::npos;
  std::string problem = colon == 0 ? "the type is missing" : spec::gpu_type_problem(type);
  if (problem.empty() && spec::is_choice(type)) problem = "simulated GPUs have one type";
  if (problem.empty() && !is_number) problem = "\"" + number + "\" is not a number of GPUs";
  if (!problem.empty()) throw usage_error("--fake-gpus " + text, problem, "as in 2, a100:4 or mig-1g.5gb:7");
  serve.fake_gpus = std::stoi(number);
  serve.fake_gpu_resource = spec::gpu_resource(type);
  const std::vector<std::string> labels = spec::labels_of_gpu_node(type);
  serve.node_labels.insert(serve.node_labels.begin(), labels.begin(), labels.end());
}

local::ServeOptions serve_options(const LocalOptions& options) {
  local::ServeOptions serve = options.serve;
  serve.folder = options.folder;
  if (!options.fake_gpus.empty()) pretend_gpus(options.fake_gpus, serve);
  if (options.port) {
    if (*options.port > 65535)
      throw usage_error("--port " + std::to_string(*options.port), "the highest port is 65535");
    serve.port = static_cast<int>(*options.port);
  }
  if (options.pod_max_pids) {
    if (*options.pod_max_pids == 0)
      throw usage_error("--pod-max-pids 0", "a pod needs at least one process", "as in 4096");
    serve.pod_max_pids = *options.pod_max_pids;
  }
  return serve;
}

void add_serve_flags(Command& command, LocalOptions& options) {
  command
      .option("--fake-gpus", "[TYPE:]N", options.fake_gpus,
              "pretend to have N GPUs; by default, the NVIDIA GPUs here")
      .details(
          "Pretend that this machine has N GPUs, with an optional type as in `kml submit --gpus`. By "
          "default, the machine's NVIDIA GPUs.");
  command.option("--cpu", "N", options.serve.cpu, "CPUs that pods may request; by default, all")
      .details("How many CPUs all pods together may request. By default, all CPUs.");
  command
      .option("--memory", "SIZE", options.serve.memory,
              "memory that pods may request, such as 16Gi; by default, all")
      .details("How much memory all pods together may request: 16Gi. By default, all memory.");
  command.option("--node-label", "K=V", options.serve.node_labels, "label of the node")
      .details("Add a label to the node. May be repeated.");
  command
      .option("--log-limit", "SIZE", options.serve.log_limit,
              "how much of each container's log to keep [default: 1Gi]")
      .details("How much of a container's log to keep, for each start of the container. [default: 1Gi]");
  command
      .option("--pod-max-pids", "N", options.pod_max_pids, "maximum number of processes and threads per pod")
      .details(
          "How many processes and threads a pod may have. By default, a quarter of the machine's limit, but "
          "at least 1024 and at most 32768.");
  command.option("--port", "N", options.port, "port on the loopback address; by default, a free one")
      .details("The port to listen on, on the loopback address. By default, a free port.");
}

/// The flags of `up`, as typed. With `only_others`, only those whose values differ from the running server's.
std::string typed_flags(const LocalOptions& options, const local::DaemonStatus& server, bool only_others) {
  const local::ServeOptions wanted = serve_options(options), now = local::settings_of(server.pid);
  std::string flags;
  const auto add = [&](bool is_typed, bool is_same, const char* flag, const std::string& value) {
    if (is_typed && !(only_others && is_same))
      flags += (flags.empty() ? "" : " ") + std::string(flag) + " " + value;
  };
  add(!options.fake_gpus.empty(),
      wanted.fake_gpus == now.fake_gpus && wanted.fake_gpu_resource == now.fake_gpu_resource &&
          wanted.node_labels == now.node_labels,
      "--fake-gpus", options.fake_gpus);
  add(!wanted.cpu.empty(), wanted.cpu == now.cpu, "--cpu", wanted.cpu);
  add(!wanted.memory.empty(), wanted.memory == now.memory, "--memory", wanted.memory);
  add(!wanted.log_limit.empty(), wanted.log_limit == now.log_limit, "--log-limit", wanted.log_limit);
  add(options.pod_max_pids.has_value(), wanted.pod_max_pids == now.pod_max_pids, "--pod-max-pids",
      std::to_string(wanted.pod_max_pids));
  for (const std::string& label : options.serve.node_labels)
    add(true, std::ranges::find(now.node_labels, label) != now.node_labels.end(), "--node-label", label);
  const std::string port = std::to_string(options.port.value_or(0));
  add(options.port.has_value(), server.url.ends_with(":" + port), "--port", port);
  return flags;
}

int run_up(Context& context, const LocalOptions& options) {
  bool started = false;
  local::DaemonStatus server = local::ensure_running(serve_options(options), started);
  if (!started)
    if (const std::string flags = typed_flags(options, server, true); !flags.empty())
      throw usage_error(
          "the embedded server is already running, with settings other than " + flags,
          "process " + std::to_string(server.pid) + " keeps the settings that it was started with",
          "kml local down, then kml local up " + typed_flags(options, server, false) +
              " and other flags that the server still needs; jobs keep running");
  context.streams().out << "the embedded server " << (started ? "has started" : "is already running")
                        << " at " << server.url << " (process " << server.pid << ")\n";
  return 0;
}

/// Prints the running sweeps, because their engines restart the server when they need it.
void name_running_sweeps(Context& context) {
  for (const std::string& name : sweep_names()) {
    const auto engine = sweep::writer_of(sweep::sweep_folder(name));
    if (!engine || !is_for_this_machine(name)) continue;
    context.note("sweep " + name +
                 " is running, and will start the server again; to stop the sweep: `kml sweep stop " + name +
                 "`");
  }
}

constexpr const char* kIfItHangs =
    "the server is busy or frozen; if it does not recover, `kml local down --force` kills the server and "
    "suspends its jobs";

int run_down(Context& context, const LocalOptions& options) {
  const local::DaemonStatus server = local::status(options.folder);
  if (!server.running) {
    context.note("the embedded server is not running");
    return 0;
  }
  name_running_sweeps(context);
  if (!server.responds && !options.stop_jobs && !options.force)
    context.note("the embedded server does not respond; kml kills it in 30 seconds unless it exits");
  const std::function<void(const std::string&)> on_hang = [&](const std::string& text) {
    context.note(text);
  };
  local::stop(options.folder, options.stop_jobs || options.force, options.force ? on_hang : nullptr);
  context.streams().out << "the embedded server has stopped"
                        << (options.stop_jobs || options.force ? "" : "; its pods keep running") << "\n";
  return 0;
}

int run_local_status(Context& context, const LocalOptions& options) {
  const local::DaemonStatus server = local::status(options.folder);
  if (!options.output.empty()) {
    Json json = {{"running", server.running && server.responds},
                 {"responds", server.running && server.responds},
                 {"folder", server.folder.string()},
                 {"kubeconfig", server.kubeconfig.string()},
                 {"log", server.log.string()}};
    if (server.running) json.update({{"process", server.pid}, {"address", server.url}});
    ui::print_value(context.streams(), json, options.output);
    return 0;
  }
  std::ostream& out = context.streams().out;
  const bool is_silent = server.running && !server.responds;
  out << (is_silent ? "not responding" : server.running ? "running" : "not running") << "\n";
  if (server.running) out << "  process     " << server.pid << "\n  address     " << server.url << "\n";
  out << "  folder      " << server.folder.string() << "\n  kubeconfig  " << server.kubeconfig.string()
      << "\n  log         " << server.log.string() << "\n";
  if (is_silent) context.note(kIfItHangs);
  return 0;
}

int run_check(Context& context, const LocalOptions& options) {
  ui::Table table({"", "CHECK", "RESULT"});
  Json items = Json::array();
  bool damaged = false;
  for (const local::StateFinding& finding : local::check_state(options.folder)) {
    const bool wrong = finding.verdict == local::StateFinding::damaged;
    const bool right = finding.verdict == local::StateFinding::right;
    damaged |= wrong;
    const std::string verdict = right ? "ok" : wrong ? "bad" : "?";
    items.push_back({{"check", finding.what}, {"verdict", verdict}, {"result", finding.detail}});
    table.add({{verdict, right   ? ui::Style::green
                         : wrong ? ui::Style::red
                                 : ui::Style::yellow},
               {finding.what},
               {finding.detail}});
  }
  if (options.output.empty())
    table.print(context.streams(), false);
  else
    ui::print_value(context.streams(), items, options.output);
  if (damaged) context.note("`kml local repair` saves the data that is still readable");
  return damaged ? 1 : 0;
}

int run_repair(Context& context, const LocalOptions& options) {
  const std::vector<std::string> done = local::repair_state(options.folder);
  for (const std::string& sentence : done) context.streams().out << sentence << "\n";
  if (done.empty()) context.note("no damage found");
  return 0;
}

int run_kubeconfig(Context& context, const LocalOptions& options) {
  bool started = false;
  local::DaemonStatus server = local::ensure_running(serve_options(options), started);
  std::string text = read_file(server.kubeconfig);
  if (options.output == "json")
    ui::print_value(context.streams(), yaml::to_json(yaml::parse_one(text, server.kubeconfig.string()), ""),
                    "json");
  else
    context.streams().out << text;
  return 0;
}

/// Adds the examples of each subcommand.
void add_local_examples(Command& group) {
  static const std::map<std::string_view, const char*> kExamples = {
      {"up", "kml local up --fake-gpus a100:4\nkml local up --cpu 8 --memory 32Gi --node-label disk=ssd"},
      {"down",
       "kml local down\n# Suspend running jobs too, so that nothing keeps running\nkml local down "
       "--stop-jobs"},
      {"status", "kml local status\nkml local status -o jsonpath={.address}"},
      {"kubeconfig", "kml local kubeconfig > local.kubeconfig\nkml local kubeconfig -o json"},
      {"check", "kml local check\nkml local check -o json"},
      {"repair", "kml local down\nkml local repair"},
  };
  for (Command& command : group.subcommands) {
    command.has_target = false;
    if (const auto found = kExamples.find(command.name); found != kExamples.end())
      command.examples = found->second;
  }
}

ManualSection differences_of_local() {
  return {
      "Differences from a cluster",
      R"(- The server has one node, and only the kinds that jobs and services need. It has no roles: its only user may
do everything.
- Pods share this machine's network, so replicas must not listen on the same port. In a pod of a ReplicaSet or
Deployment, if a container's PORT variable equals one of its containerPorts, the server replaces the value with a free
port (see the pod's annotation kml.dev/ports). Probes, Services and port-forward still use the containerPort.
- A Service gets a port on 127.0.0.1, in spec.ports[].nodePort, unless it is headless, has no selector, or has the
type ExternalName. A separate process forwards connections to the ready pods in turn; a connection waits up to ten
seconds for a pod to become ready, or longer if the program is scaled to zero. Services have neither DNS nor
Endpoints. The forwarding process outlives the server, as pods do.
- Until a readiness or startup probe succeeds for the first time, it is also tried between its periods.
- The only lifecycle hook is preStop, which can be a command, an HTTP request, or a sleep.
- `kubectl exec`, `cp`, `attach` and `port-forward` need kubectl 1.31 or later, because the server does not speak plain
SPDY. A command of `kubectl exec` stops when kubectl exits; on a cluster, the command would keep running. Programs have
no standard input to attach to. Pods share this machine's network, so a forwarded port is a port on this machine.
- A container needs a command, from its manifest or from `kml local image`.
- Schedules (CronJobs) start jobs only while the server runs. When the server starts again, it makes up for the last
missed start, unless that start's deadline has passed.
- Pods get neither an API token nor tolerations for failing nodes, because neither is of use on a single machine.
- `kml local up --pod-max-pids` limits the processes and threads of a pod. If the server runs as root but may not
create cgroups, a pod that exceeds the limit is killed.
- Memory limits are enforced if the server may create cgroups. Otherwise, the pod gets an event
MemoryLimitNotEnforced. CPU limits are not enforced.
- If the server runs as root, containers have root's capabilities unless their securityContext drops them.
- Some fields are rejected, some are ignored with a warning, and others without one: see "Fields of jobs and pods".
- Each container has the variable KML_POD_UID, with which the server finds the container's processes, even daemons.
- The server does not keep managedFields, so server-side apply is not available.
- The server answers only in JSON. The server reads protobuf only from kubectl commands that create objects from flags
(create configmap, create job, auth can-i). Configure other Go clients to send JSON.
- `kubectl explain` does not work, because the server has no descriptions of fields.
- The metrics of metrics.k8s.io (`kubectl top`, `kml top jobs`) are measured on request, from /proc. When a container
terminates, the server records the resources it used in the pod's annotation kml.dev/usage, which `kml eff` reads.
- A preempted pod is never treated as failed, because on one machine every preemption is intended.
- If the server runs as root, each container has a separate /dev/termination-log. An empty file with that name stays
in the machine's /dev.
- If the last line of a log has no newline, the server adds one, so that lines of different pods are not joined. A
redrawn progress bar appears in the log at once; a cluster's nodes may delay it until 16 KiB have been written.
- Counters in a job's status are present even if they are 0; a cluster leaves out counters that are 0.
- Invalid input (broken JSON, a selector, a patch) is rejected with the same status code as on a cluster, but with
another message.)"};
}

}  // namespace

Command local_command() {
  auto options = std::make_shared<LocalOptions>();
  Command group{"local", "Manage the embedded server, which runs jobs on this machine"};
  group.description =
      R"(The server speaks the Kubernetes API on the loopback address, for kml, kubectl and any other client. The server
starts by itself when a command needs it. A job's pods are processes on this machine, and images are not pulled.)";
  group.manual = [] {
    return std::vector<ManualSection>{differences_of_local(),
                                      {"Fields of jobs and pods", local::manual_of_fields()}};
  };
  group.examples = R"(# Pretend that this machine has 2 GPUs
kml local up --fake-gpus 2
# Use kubectl with it
kml local kubeconfig > local.kubeconfig && kubectl --kubeconfig local.kubeconfig get pods)";

  auto add = [&](const char* name, const char* summary,
                 int (*run)(Context&, const LocalOptions&)) -> Command& {
    group.subcommands.push_back(Command(name, summary));
    group.subcommands.back().run = [options, run](Context& context) { return run(context, *options); };
    return group.subcommands.back();
  };
  add_serve_flags(add("up", "Start the server", run_up), *options);
  Command& down =
      add("down", "Stop the server; its pods keep running, and the next server finds them", run_down);
  down.flag("--stop-jobs", options->stop_jobs,
            "first suspend the jobs and scale the Deployments to 0; pods get their grace period")
      .details("First suspend the jobs and scale the Deployments to 0. Pods get SIGTERM and a grace period.");
  down.description =
      R"(If --stop-jobs or --force has suspended a job, the job stays suspended until you run `kml resume`. Served
programs and schedules continue when the server starts again.)";
  down.flag("--force", options->force,
            "like --stop-jobs, but kill a server that does not answer for 10 seconds")
      .details("Like --stop-jobs, but kill the server if it has not answered for 10 seconds.");
  add_output_format(add("status", "Show whether the server runs, and where its files are", run_local_status),
                    {"json", "yaml"}, options->output, "print the status as data")
      .details("Print the data in this format.");
  Command& kubeconfig = add("kubeconfig", "Print the kubeconfig of the server", run_kubeconfig);
  kubeconfig.choice("-o,--output", {"json", "yaml"}, options->output, "print it as JSON or YAML")
      .details("Print the kubeconfig as JSON or YAML.");
  add_output_format(add("check", "Check the server's store, its identity and the folders of pods", run_check),
                    {"json", "yaml"}, options->output, "print the checks as data")
      .details("Print the checks in this format.");
  Command& repair =
      add("repair", "Repair damaged files, and save the data that is still readable", run_repair);
  repair.description =
      R"(kml copies the readable data of a damaged store into a new one, and regenerates a damaged identity (key,
certificate, token). kml keeps the damaged files beside the new ones, with ".damaged-" and the time in their names.
Stop the server first, with `kml local down`; its jobs keep running.)";
  group.subcommands.push_back(local_image_command());
  add_local_examples(group);

  Command& serve = add("serve", "Run the server in the foreground", [](Context&, const LocalOptions& given) {
    return local::serve(serve_options(given));
  });
  serve.hidden = true;
  serve.option("--folder", "DIR", options->folder, "the folder of its state");
  add_serve_flags(serve, *options);
  return group;
}

}  // namespace kml::cli
