#include <algorithm>
#include <chrono>
#include <filesystem>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "cli/commands.h"
#include "job/commands/send.h"
#include "job/commands/submit_request.h"
#include "job/commands/wait_for_jobs.h"
#include "kml/base/flag_errors.h"
#include "kml/base/missing_path.h"
#include "kml/base/process.h"
#include "kml/job/control/control.h"
#include "kml/job/control/wait.h"
#include "kml/job/submit/marks.h"
#include "kml/job/tables/job_tables.h"
#include "kml/job/views/dev_session.h"
#include "kml/job/views/find.h"
#include "kml/job/views/interrupt.h"
#include "kml/job/why/kueue_check.h"
#include "kml/job/why/why.h"
#include "kml/kube/objects/names.h"
#include "kml/kube/objects/pod.h"
#include "pod/commands/enter.h"
#include "pod/commands/idle_guard.h"
#include "pod/commands/named_rank.h"
#include "pod/commands/sync.h"
#include "pod/streams/container_end.h"

namespace kml::cli {

namespace {

using std::chrono::seconds;

struct DevOptions {
  std::vector<std::string> names;
  SubmitFlags flags;
  std::optional<seconds> idle, most;
  std::string synced;
  bool has_jupyter = false, has_ssh = false, is_detached = false, lists = false;
};

constexpr seconds kUsualIdle = std::chrono::hours(1), kUsualMost = std::chrono::hours(12);

void add_setting(SubmitFlags& flags, const std::string& name, const std::string& value,
                 const std::string& flag) {
  flags.settings.push_back({name, value, {spec::Source::flag, flag}});
}

job::SubmitPlan session_plan(Context& context, const DevOptions& options, const std::string& name) {
  SubmitFlags flags = options.flags;
  add_setting(flags, "name", name, "NAME");
  add_setting(flags, "time-limit", std::to_string(options.most.value_or(kUsualMost).count()) + "s", "--max");
  std::vector<std::string> program = std::move(flags.command);
  if (options.has_jupyter)
    program = {"jupyter", "lab", "--ip=127.0.0.1", "--port=8888", "--no-browser", "--allow-root"};
  const seconds idle = options.idle.value_or(kUsualIdle);
  flags.command = {"sh", "-c", idle_guard(idle), job::kIdleGuardName, std::to_string(idle.count())};
  flags.command.insert(flags.command.end(), program.begin(), program.end());
  return plan(context, flags);
}

/// The session with that name, unless it has ended or will soon end. Throws Error if a different kind of job
/// has the name, because a new session would replace that job.
std::optional<Json> running_session(Context& context, const std::string& name) {
  Json job;
  try {
    job = job::find_job(context.client(), context.target().namespace_name, name);
  } catch (const Error& error) {
    if (error.reason == "NotFound") return {};
    throw;
  }
  if (!job::is_session(job))
    throw usage_error("job " + name + " is not a session", "kml dev did not create it",
                      "choose another name for the session");
  const job::State state = job::view_of_job(job).state;
  if (job::has_ended(state) || state == job::State::cancelling) return {};
  return job;
}

/// The session's job: the running one, or a new one.
Json session(Context& context, const DevOptions& options, const std::string& name) {
  if (std::optional<Json> job = running_session(context, name)) {
    if (job::view_of_job(*job).state == job::State::suspended) {
      job::resume(context.client(), *job);
      context.note(
          "session " + name +
          " was suspended, for example by `kml local down --force` or `kml suspend`; it is starting again");
      return *std::move(job);
    }
    context.note("returning to session " + name +
                 "; flags do not change the session. To start over: `kml cancel " + name + "`");
    return *std::move(job);
  }
  SendOptions replacing;
  replacing.replace = true;
  Json job;
  const auto make_plan = [&] { return session_plan(context, options, name); };
  send(context, make_plan, replacing, [&](const std::vector<Json>& made) { job = made.at(0); });
  return job;
}

/// The value of --sync: a folder, and where it is put in the session.
FolderToSync folder_to_sync(const DevOptions& options, const std::string& name) {
  const size_t colon = options.synced.rfind(':');
  FolderToSync wanted{.folder = options.synced.substr(0, colon), .typed = name, .is_once = true};
  std::error_code fault;
  if (!std::filesystem::is_directory(wanted.folder, fault))
    throw not_a_folder(wanted.folder, "--sync " + wanted.folder.string());
  wanted.folder = std::filesystem::canonical(wanted.folder);
  wanted.target =
      colon == std::string::npos ? wanted.folder.filename().string() : options.synced.substr(colon + 1);
  return wanted;
}

/// The exit code of a shell that was killed by SIGKILL together with its container.
constexpr int kKilled = 137;
constexpr seconds kUntilEndIsKnown{5};

struct ShellEnd {
  int code;  ///< the exit code of the shell, or of the session if that has ended
  bool has_session_ended = false;
};

ShellEnd shell_of_session(Context& context, const std::string& name) {
  const pod::RunningRank rank = named_rank(context, name);
  const int code = enter_shell(context, rank);
  if (code != kKilled) return {code};
  const std::optional<int> ended = pod::exit_code_of_container(context.client(), rank, kUntilEndIsKnown);
  return {ended.value_or(code), ended.has_value()};
}

/// Prints the sessions in the namespace, oldest first.
int list_sessions(Context& context) {
  const std::string& namespace_name = context.place().namespace_name;
  const std::vector<Json> all = job::list_jobs(context.client(), namespace_name, "");
  const job::PodsByJob pods = job::list_pods(context.client(), namespace_name);
  std::vector<job::JobView> sessions;
  job::KueueCheck kueue(context.client());
  for (const Json& job : all)
    if (job::is_session(job)) kueue.correct(job, sessions.emplace_back(job::view_of_job(job, pods.of(job))));
  std::stable_sort(sessions.begin(), sessions.end(),
                   [](const job::JobView& a, const job::JobView& b) { return job::is_older(a, b); });
  if (sessions.empty())
    context.note("no sessions in namespace " + namespace_name);
  else
    ui::print_jobs(context.streams(), sessions, {.target = words_of_target(context.options())},
                   system_clock().now());
  return 0;
}

int run_dev(Context& context, const DevOptions& options) {
  if (options.lists) return list_sessions(context);
  if (!options.synced.empty() && (options.is_detached || options.has_jupyter))
    throw usage_error("--sync works only while the session's shell is open",
                      std::string(options.is_detached ? "--detach" : "--jupyter") + " opens no shell",
                      "start the session, and then run `kml sync FOLDER NAME:PATH` in another terminal");
  if (options.has_jupyter && !options.flags.command.empty())
    throw not_together("--jupyter", "a command", "the session runs one of them");
  if (options.has_ssh && (options.has_jupyter || options.is_detached || !options.synced.empty()))
    throw not_together("--ssh", "--sync, --jupyter and --detach",
                       "--ssh opens no shell, and prints the host for ssh instead");
  const std::string name =
      options.names.empty() ? "dev-" + api::to_dns_label(job::user_name(), 40) : options.names[0];
  const Json job = session(context, options, name);
  if (options.is_detached) return 0;
  if (const int code = wait_for_jobs(context, {job}, {}, {job::WaitGoal::Kind::running}); code != 0)
    return code;
  if (options.has_ssh) {
    print_ssh_host(context, name);
    context.note("`kml ssh " + name + " --config >~/.ssh/kml` writes this host to a file; `kml cancel " +
                 name + "` ends the session");
    return 0;
  }
  std::optional<RunningProcess> sync;
  if (context.place().is_local && !options.synced.empty() && options.synced.find(':') == std::string::npos) {
    context.note("--sync does nothing here: the session uses this machine's files");
  } else if (!options.synced.empty()) {
    const FolderToSync wanted = folder_to_sync(options, name);
    {
      const job::Interrupt interrupt;
      sync_folder(context, wanted, interrupt);
    }
    // The sync runs in a separate process, because this process shows the shell.
    sync.emplace(
        same_kml(context.options(), {"sync", wanted.folder.string(), wanted.typed + ":" + wanted.target}));
  }
  const ShellEnd end = options.has_jupyter ? ShellEnd{open_page(context, name, true, seconds(60))}
                                           : shell_of_session(context, name);
  if (sync && sync->has_ended())
    context.note("the sync of " + options.synced + " stopped before the shell ended; `kml sync` shows why");
  if (end.has_session_ended)
    context.note("session " + name + " has ended: `kml logs " + name + "` and `kml why " + name +
                 "` show why");
  else if (running_session(context, name))
    context.note("session " + name + " continues, and ends by itself once it is idle; `kml dev" +
                 (options.names.empty() ? "" : " " + name) + "` returns to it, `kml cancel " + name +
                 "` ends it now");
  return end.code;
}

}  // namespace

Command dev_command() {
  auto options = std::make_shared<DevOptions>();
  Command command{"dev", "Work interactively in a pod that ends by itself when it is idle"};
  command.description =
      R"(kml starts a job for the session, and opens a shell in its pod. The next `kml dev` returns to the same session. Like
any job, the session waits in the queue, and `kml why` explains why.

The session ends when it has been idle for the time of --idle. The session is idle while no key is pressed, its
processes use less than 5 % of one core, its GPUs are less than 5 % busy, and less than 2 KiB a minute arrives through
`kml port`, `kml open` and ssh. So a visible JupyterLab page keeps the session alive, but an unused connection does
not. Before the session ends, its terminals show a warning. At the end, kml exits with 0. The session also ends after
--max. Keep your files on a volume (--mount).

The image needs sh, awk and stat, which almost every image has. To run a program in the session, put it after "--";
the session ends when the program does.)";
  command.examples = R"(kml dev --gpus 1 --image pytorch/pytorch
# Send this folder's code, and each change that you make
kml dev --gpus 1 --image pytorch/pytorch --sync .
# Run JupyterLab, and open it in this machine's browser
kml dev --gpus 1 --image quay.io/jupyter/pytorch-notebook --jupyter
# A second session, with a longer idle time
kml dev big --gpus 4 --image pytorch/pytorch --idle 4h --max 24h)";
  command.options_under("The session");
  command.takes_name(options->names, "name of the session [default: dev-USER]", 0)
      .details("The name of the session. [default: dev-USER]");
  command
      .option("--idle", "DURATION", options->idle,
              "end the session after this time without activity [default: 1h]")
      .details(
          "End the session after this time without activity, as described above. The session's terminals "
          "show a warning when a fifth of the time is left. To see the traffic of `kml port`, `kml open` and "
          "ssh, "
          "kml needs the right to exec. [default: 1h]");
  command.option("--max", "DURATION", options->most, "end the session after this time [default: 12h]")
      .details("End the session after this time, even if it is busy. [default: 12h]");
  command
      .option("--sync", "FOLDER[:PATH]", options->synced,
              "send this folder's code to the session, and each change to it")
      .details(
          "Send this folder's code to PATH or, by default, to a folder with the same name in the session's "
          "working directory. While the shell is open, send each file again when it changes, as `kml sync` "
          "does. On this machine, --sync does nothing without PATH, because the session uses this machine's "
          "files.");
  command.flag("--jupyter", options->has_jupyter, "run JupyterLab, and open its page")
      .details(
          "Run the image's `jupyter lab` in the session, forward its port, print the address with its token, "
          "and open it in the browser, as `kml open` does. The session ends when JupyterLab exits.");
  command
      .flag("--ssh", options->has_ssh,
            "print the session's ~/.ssh/config entry for ssh and editors, and return")
      .details(
          "Start the session and, instead of opening a shell, print the session's entry for ~/.ssh/config, "
          "as `kml ssh` does. An editor keeps the session alive while you use it; an idle connection does "
          "not.");
  command.flag("--detach", options->is_detached, "start the session, and return")
      .details("Start the session and return, without opening a shell.");
  command.flag("--list", options->lists, "list the sessions in the namespace")
      .details("List the sessions in the namespace, running and finished, and start none.");
  add_spec_flags(command, options->flags.settings,
                 {"name", "array", "nodes", "retries", "time-limit", "topology", "data", "data-store"});
  command.argv = &options->flags.command;
  command.unknown_flags = &options->flags.unknown;
  command.run = [options](Context& context) { return run_dev(context, *options); };
  return command;
}

}  // namespace kml::cli
