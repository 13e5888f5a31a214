#include <algorithm>
#include <memory>
#include <ostream>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/context.h"
#include "cli/sweep_selection.h"
#include "kml/core/files.h"
#include "kml/core/text.h"
#include "kml/core/yaml.h"
#include "kml/local/daemon.h"
#include "kml/spec/gpu_types.h"
#include "kml/sweep/journal/journal.h"
#include "kml/ui/objects.h"
#include "kml/ui/table.h"

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
                      "IMAGE=PROGRAM, or IMAGE -- PROGRAM ARGUMENT...; IMAGE= takes it away");
  if (std::string program = equals == std::string::npos ? "" : word.substr(equals + 1); !program.empty())
    for (const std::string& part : split(program, ' '))
      if (!part.empty()) command.push_back(part);
  local::set_image({}, image, command);
  context.streams().out << "image " << image
                        << (command.empty() ? " stands for nothing now"
                                            : " stands for " + shell_quoted(command))
                        << "\n";
  return 0;
}

/// `kml local image IMAGE=COMMAND`.
Command local_image_command() {
  auto options = std::make_shared<ImageOptions>();
  Command command{"image", "Say which program an image stands for on this machine"};
  command.description = "For manifests that leave the command to the image. IMAGE= takes it away.";
  command.takes("IMAGE=PROGRAM", options->words, "the image as manifests name it, and a program", 1, 1);
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

/// "2", "a100:4" or "mig-1g.5gb:7": GPUs of a product, which nodes tell by a label, or slices of one.
void pretend_gpus(const std::string& text, local::ServeOptions& serve) {
  const size_t colon = text.rfind(':');
  const std::string type = colon == std::string::npos ? "" : text.substr(0, colon);
  const std::string number = text.substr(colon + 1);  // npos + 1 is 0
  constexpr size_t kMostDigits = 4;
  const bool is_number = !number.empty() && number.size() <= kMostDigits &&
                         number.find_first_not_of("0123456789") == std::string::npos;
  std::string problem = colon == 0 ? "a type is missing" : spec::gpu_type_problem(type);
  if (problem.empty() && !is_number) problem = "\"" + number + "\" is no number of GPUs";
  if (!problem.empty()) throw usage_error("--fake-gpus " + text, problem, "as in 2, a100:4 or mig-1g.5gb:7");
  serve.fake_gpus = std::stoi(number);
  serve.fake_gpu_resource = spec::gpu_resource(type);
  if (type.empty() || serve.fake_gpu_resource != spec::gpu_resource("")) return;
  const spec::GpuType* known = spec::find_gpu_type(type);
  serve.node_labels.push_back("nvidia.com/gpu.product=" + std::string(known ? known->products[0] : type));
}

local::ServeOptions serve_options(const LocalOptions& options) {
  local::ServeOptions serve = options.serve;
  serve.folder = options.folder;
  if (!options.fake_gpus.empty()) pretend_gpus(options.fake_gpus, serve);
  if (options.port) {
    if (*options.port > 65535)
      throw usage_error("--port " + std::to_string(*options.port), "ports end at 65535");
    serve.port = static_cast<int>(*options.port);
  }
  if (options.pod_max_pids) {
    if (*options.pod_max_pids == 0)
      throw usage_error("--pod-max-pids 0", "a pod needs a process", "as in 4096");
    serve.pod_max_pids = *options.pod_max_pids;
  }
  return serve;
}

void add_serve_flags(Command& command, LocalOptions& options) {
  command.option("--fake-gpus", "[TYPE:]N", options.fake_gpus,
                 "pretend to have N GPUs, of a type as in submit's --gpus; else those that NVML finds");
  command.option("--cpu", "N", options.serve.cpu, "CPU slots; else the machine's");
  command.option("--memory", "SIZE", options.serve.memory, "memory slots, as in 16Gi; else the machine's");
  command.option("--node-label", "K=V", options.serve.node_labels, "a label of the node");
  command.option("--log-limit", "SIZE", options.serve.log_limit,
                 "keep so much of each container's log, and of each of its runs (1Gi)");
  command.option("--pod-max-pids", "N", options.pod_max_pids,
                 "most processes and threads of a pod; else a quarter of the machine's, up to 32768");
  command.option("--port", "N", options.port, "port on loopback; else a free one");
}

/// The flags of `up` that a server which runs already was not started with, as they were typed.
std::string other_settings(const LocalOptions& options, const local::DaemonStatus& server) {
  const local::ServeOptions wanted = serve_options(options), now = local::settings_of(server.pid);
  std::string flags;
  const auto add = [&](bool is_other, const char* flag, const std::string& value) {
    if (is_other) flags += (flags.empty() ? "" : " ") + std::string(flag) + " " + value;
  };
  const auto differs = [](const std::string& asked, const std::string& is) {
    return !asked.empty() && asked != is;
  };
  add(!options.fake_gpus.empty() &&
          (wanted.fake_gpus != now.fake_gpus || wanted.fake_gpu_resource != now.fake_gpu_resource ||
           wanted.node_labels != now.node_labels),
      "--fake-gpus", options.fake_gpus);
  add(differs(wanted.cpu, now.cpu), "--cpu", wanted.cpu);
  add(differs(wanted.memory, now.memory), "--memory", wanted.memory);
  add(differs(wanted.log_limit, now.log_limit), "--log-limit", wanted.log_limit);
  add(options.pod_max_pids && wanted.pod_max_pids != now.pod_max_pids, "--pod-max-pids",
      std::to_string(wanted.pod_max_pids));
  for (const std::string& label : options.serve.node_labels)
    add(std::find(now.node_labels.begin(), now.node_labels.end(), label) == now.node_labels.end(),
        "--node-label", label);
  add(options.port && !server.url.ends_with(":" + std::to_string(*options.port)), "--port",
      std::to_string(options.port.value_or(0)));
  return flags;
}

int run_up(Context& context, const LocalOptions& options) {
  bool started = false;
  local::DaemonStatus server = local::ensure_running(serve_options(options), started);
  if (!started)
    if (const std::string flags = other_settings(options, server); !flags.empty())
      throw usage_error("the embedded server runs already, with other settings than " + flags,
                        "process " + std::to_string(server.pid) + " keeps those that it was started with",
                        "kml local down, then kml local up " + flags + "; jobs go on meanwhile");
  context.streams().out << "the embedded server " << (started ? "has started" : "runs already") << " at "
                        << server.url << " (process " << server.pid << ")\n";
  return 0;
}

/// Engines bring the server up again that their trials need.
void name_running_sweeps(Context& context) {
  for (const std::string& name : sweep_names()) {
    const auto engine = sweep::writer_of(sweep::sweep_folder(name));
    if (!engine || !is_for_this_machine(name)) continue;
    context.note("sweep " + name + " is running, and will start the server again; `kml sweep stop " + name +
                 "` ends it");
  }
}

int run_down(Context& context, const LocalOptions& options) {
  if (!local::status(options.folder).running) {
    context.note("the embedded server does not run");
    return 0;
  }
  name_running_sweeps(context);
  const std::function<void(const std::string&)> on_hang = [&](const std::string& text) {
    context.note(text);
  };
  local::stop(options.folder, options.stop_jobs || options.force, options.force ? on_hang : nullptr);
  context.streams().out << "the embedded server has stopped"
                        << (options.stop_jobs || options.force ? "" : "; its pods go on") << "\n";
  return 0;
}

int run_local_status(Context& context, const LocalOptions& options) {
  local::DaemonStatus server = local::status(options.folder);
  std::ostream& out = context.streams().out;
  out << (server.running ? "running" : "not running") << "\n";
  if (server.running) out << "  process     " << server.pid << "\n  address     " << server.url << "\n";
  out << "  folder      " << server.folder.string() << "\n  kubeconfig  " << server.kubeconfig.string()
      << "\n  log         " << server.log.string() << "\n";
  return 0;
}

int run_check(Context& context, const LocalOptions& options) {
  ui::Table table({"", "CHECK", "RESULT"});
  bool damaged = false;
  for (const local::StateFinding& finding : local::check_state(options.folder)) {
    const bool wrong = finding.verdict == local::StateFinding::damaged;
    const bool right = finding.verdict == local::StateFinding::right;
    damaged |= wrong;
    table.add({{right   ? "ok"
                : wrong ? "no"
                        : "?",
                right   ? ui::Style::green
                : wrong ? ui::Style::red
                        : ui::Style::yellow},
               {finding.what},
               {finding.detail}});
  }
  table.print(context.streams(), false);
  if (damaged) context.note("kml local repair keeps what can be read");
  return damaged ? 1 : 0;
}

int run_repair(Context& context, const LocalOptions& options) {
  const std::vector<std::string> done = local::repair_state(options.folder);
  for (const std::string& sentence : done) context.streams().out << sentence << "\n";
  if (done.empty()) context.note("nothing is damaged");
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

}  // namespace

Command local_command() {
  auto options = std::make_shared<LocalOptions>();
  Command group{"local", "The embedded single-node server that runs jobs on this machine"};
  group.description =
      "It speaks the Kubernetes API on loopback, for kml, kubectl and any other client, and starts by "
      "itself\n"
      "when a command needs it. Jobs are processes of this machine; an image stands for nothing here.\n"
      "\n"
      "What differs from a cluster, and why:\n"
      "- It has the kinds that jobs need and no others, no roles (its user may do all), no node but this "
      "one,\n"
      "  and no exec, attach or port-forward: a pod is processes of this machine, which a shell reaches.\n"
      "- A container needs a command, its own or that of kml local image: images are not pulled.\n"
      "- Pods get no API token and no tolerations of failing nodes: nothing here would read them.\n"
      "- A pod has no more processes and threads than kml local up --pod-max-pids says. Where the\n"
      "  server may not make cgroups and root runs it, a pod that has more is killed.\n"
      "- Memory limits hold where the server may make cgroups; where not, the pod has an event\n"
      "  MemoryLimitNotEnforced. CPU limits are not enforced.\n"
      "- If root runs the server, containers have root's capabilities unless their securityContext drops\n"
      "  them.\n"
      "- Fields that cannot be obeyed are refused or warned of; the man page lists them.\n"
      "- A container's environment has KML_POD_UID, by which its processes are found wherever they went.\n"
      "- managedFields are not kept, so there is no server-side apply: one person's server has one writer.\n"
      "- It answers in JSON alone, and reads protobuf only of what kubectl makes from flags (create "
      "configmap,\n"
      "  create job, auth can-i); other clients in Go have to ask for JSON, which all of them can send.\n"
      "- kubectl explain has no texts to show.\n"
      "- metrics.k8s.io (kubectl top, kml top jobs) is measured when it is asked for, from /proc; what a\n"
      "  container used until its end stays in its pod's annotation kml.dev/usage, which kml eff reads.\n"
      "- A preempted pod never counts as failed: on one machine that is the only sensible policy.\n"
      "- Of a server that root runs, an empty /dev/termination-log stays on the machine, in memory: each\n"
      "  container sees its own in that place.\n"
      "- A last line without an end gets one in logs, so that lines of several pods do not run together, and "
      "a\n"
      "  progress bar is in them as it is redrawn; a cluster's nodes hold it back until 16 KiB have come.\n"
      "- Counters of a job's status that are 0 are shown as 0; a cluster leaves them out.\n"
      "- What cannot be read (broken JSON, a selector, a patch) is refused with the same code in other "
      "words.";
  group.manual_section = {"FIELDS OF JOBS AND PODS", local::manual_of_fields};
  group.examples =
      "  kml local up --fake-gpus 2\n"
      "  KUBECONFIG=<(kml local kubeconfig) kubectl get pods\n"
      "  kml local image trainer:1=./train.sh";

  auto add = [&](const char* name, const char* summary,
                 int (*run)(Context&, const LocalOptions&)) -> Command& {
    group.subcommands.push_back(Command(name, summary));
    group.subcommands.back().run = [options, run](Context& context) { return run(context, *options); };
    return group.subcommands.back();
  };
  add_serve_flags(add("up", "Start the server", run_up), *options);
  Command& down = add("down", "Stop the server; its pods go on, and the next one finds them", run_down);
  down.flag("--stop-jobs", options->stop_jobs, "end its pods first, with their grace");
  down.flag("--force", options->force,
            "as --stop-jobs, but a server that answers nothing for 10 seconds is killed");
  add("status", "Say whether it runs, and where its files are", run_local_status);
  Command& kubeconfig = add("kubeconfig", "Print its kubeconfig", run_kubeconfig);
  kubeconfig.choice("-o,--output", {"json", "yaml"}, options->output, "as JSON or YAML");
  add("check", "Check its files: the store, the identity, the pods' folders", run_check);
  Command& repair = add("repair", "Repair damaged files, keeping what can be read of them", run_repair);
  repair.description =
      "What can be read of a damaged store goes into a new one; a damaged identity (key, certificate, token) "
      "is\n"
      "made again. What was damaged is kept beside it, with \".damaged-\" and the time in its name. The "
      "server "
      "must not\n"
      "run: kml local down stops it, and its jobs go on.";
  group.subcommands.push_back(local_image_command());

  Command& serve = add("serve", "Run the server in the foreground", [](Context&, const LocalOptions& given) {
    return local::serve(serve_options(given));
  });
  serve.hidden = true;
  serve.option("--folder", "DIR", options->folder, "where its state is");
  add_serve_flags(serve, *options);
  return group;
}

}  // namespace kml::cli
