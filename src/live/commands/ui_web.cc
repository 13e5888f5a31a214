#include "live/commands/ui_web.h"

#include <poll.h>

#include <algorithm>
#include <ostream>

#include "cli/page_output.h"
#include "kml/base/clock.h"
#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/flag_errors.h"
#include "kml/base/process.h"
#include "kml/base/signals.h"
#include "kml/base/text.h"
#include "live/model/own_command.h"
#include "live/tables/web_page.h"
#include "live/web/site.h"

namespace kml::cli {

namespace {

using live::Model;
using live::Row;
using live::RowCommand;
using live::Table;

std::vector<std::string> command_line_of(const GlobalOptions& options, const live::Tables& tables,
                                         const RowCommand& command) {
  const auto cluster = std::ranges::find(tables.clusters(), command.cluster, &live::Cluster::name);
  return same_kml(live::options_in(options, *cluster, command.namespace_name), command.words);
}

/// The command as it is shown before it is confirmed: it always names its target.
std::string typed_row_command(const GlobalOptions& options, const RowCommand& command) {
  std::vector<std::string> words = {"kml"};
  words.insert(words.end(), command.words.begin(), command.words.end());
  words.insert(words.end(), {"--context", command.cluster});
  if (!command.namespace_name.empty()) words.insert(words.end(), {"-n", command.namespace_name});
  if (!options.kubeconfig.empty()) words.insert(words.end(), {"--kubeconfig", options.kubeconfig});
  return shell_quoted(words);
}

/// A page that only this user can read, and that leads to the address. Other users can see the command lines
/// of all programs, so the browser does not get the address there.
class DoorPage {
 public:
  DoorPage(const std::string& address, int port)
      : file_(state_folder() / "ui" / ("open-" + std::to_string(port) + ".html")) {
    make_private_folder(file_.parent_path());
    write_file_atomically(file_,
                          "<!doctype html>\n<meta charset=\"utf-8\">\n<title>kml ui</title>\n"
                          "<meta http-equiv=\"refresh\" content=\"0;url=" +
                              address + "\">\n");
  }
  ~DoorPage() {
    std::error_code ignored;
    std::filesystem::remove(file_, ignored);
  }
  DoorPage(const DoorPage&) = delete;
  DoorPage& operator=(const DoorPage&) = delete;

  void open() const {
    run_process({"sh", "-c", R"(xdg-open "$1" </dev/null >/dev/null 2>&1 &)", "sh", file_.string()});
  }

 private:
  std::filesystem::path file_;
};

bool has_display() {
  return !environment("DISPLAY").empty() || !environment("WAYLAND_DISPLAY").empty();
}

int serve_page(Context& context, const GlobalOptions& target, const WebOptions& options, Model& model,
               const std::string& view) {
  const long long port = options.port.value_or(0);
  if (port < 0 || port > 65535) throw invalid_value(std::to_string(port), "--port", "0 to 65535");
  live::Site site(
      model,
      {.port = static_cast<int>(port),
       .may_act = options.may_act,
       .kubeconfig = target.kubeconfig,
       .files = ui::live_page(),
       .kml = [&](const RowCommand& command) { return command_line_of(target, model.tables(), command); },
       .typed = [&](const RowCommand& command) { return typed_row_command(target, command); }});
  const std::string address = site.address() + (view.empty() ? "" : "#/" + view);
  context.streams().out << address << "\n" << std::flush;
  context.note(
      "open this address in a browser on this machine; the address works once. The page is available until "
      "you press Ctrl-C");
  std::optional<DoorPage> door;
  if (!options.only_prints && has_display()) door.emplace(address, site.port()).open();
  site.run();
  return static_cast<int>(ErrorCode::interrupted);
}

/// Waits until each cluster has sent its rows or cannot be read, but for a limited time.
void wait_for_rows(Model& model) {
  using std::chrono::steady_clock;
  const auto until = steady_clock::now() + std::chrono::seconds(30);
  const auto is_known = [](const live::Cluster& cluster) {
    return cluster.is_synced || !cluster.trouble.empty();
  };
  while (model.update(), model.has_more() || !std::ranges::all_of(model.tables().clusters(), is_known)) {
    throw_if_interrupted();
    if (model.has_more()) continue;
    if (steady_clock::now() >= until) return;
    std::vector<pollfd> fds;
    for (const int fd : model.fds()) fds.push_back({.fd = fd, .events = POLLIN, .revents = 0});
    const auto longest = std::clamp<long long>(model.longest_wait().count(), 1, 200);
    ::poll(fds.data(), fds.size(), static_cast<int>(longest));
  }
}

/// Throws Error if no cluster could be read: its page would show that there is nothing.
void require_rows(const live::Tables& tables) {
  if (std::ranges::any_of(tables.clusters(), &live::Cluster::is_synced)) return;
  std::vector<std::string> troubles;
  for (const live::Cluster& cluster : tables.clusters())
    troubles.push_back(cluster.name + ": " + (cluster.trouble.empty() ? "no answer" : cluster.trouble));
  throw Error(ErrorCode::unreachable, "cannot write the page, because no cluster could be read",
              join(troubles, "; "), "try again once the cluster answers");
}

/// Runs commands that print reports, several at a time, and calls back with the data of each report.
void read_reports(const GlobalOptions& options, const live::Tables& tables,
                  const std::vector<RowCommand>& commands,
                  const std::function<void(size_t, const Json&)>& take) {
  constexpr size_t kAtOnce = 4, kMostOutput = size_t{64} << 20;
  for (size_t begin = 0; begin < commands.size(); begin += kAtOnce) {
    throw_if_interrupted();
    std::vector<std::unique_ptr<RunningProcess>> running;
    for (size_t i = begin; i < std::min(commands.size(), begin + kAtOnce); ++i)
      running.push_back(std::make_unique<RunningProcess>(command_line_of(options, tables, commands[i]),
                                                         ProcessOptions{.limit = kMostOutput}));
    for (size_t i = 0; i < running.size(); ++i) {
      const Json data = Json::parse(live::data_of_page(running[i]->finish().out), nullptr, false);
      if (data.is_object()) take(begin + i, data);
    }
  }
}

/// The newest rows of a table whose reports the page contains.
struct Reported {
  std::vector<RowCommand> commands;
  std::vector<std::string> keys;
};

Reported sweeps_to_report(live::Tables& tables) {
  constexpr size_t kMost = 20;
  Reported found;
  for (const Row* row : tables.rows(Table::sweeps)) {
    if (found.keys.size() == kMost) break;
    const Json json = Json::parse(row->data, nullptr, false);
    found.commands.push_back({row->cluster->name,
                              string_at(json, {"namespace"}),
                              {"sweep", "report", string_at(json, {"name"}), "-o", "-"}});
    found.keys.push_back(row->cluster->name + "\n" + row->id);
  }
  return found;
}

Reported runs_to_report(live::Tables& tables) {
  constexpr size_t kMost = 20;
  Reported found;
  for (const Row* row : tables.rows(Table::runs)) {
    if (found.keys.size() == kMost) break;
    const Json json = Json::parse(row->data, nullptr, false);
    const std::string run = string_at(json, {"run"}, string_at(json, {"name"}));
    found.commands.push_back({row->cluster->name, "", {"runs", "report", run, "-o", "-"}});
    found.keys.push_back(run);
  }
  return found;
}

Json reports_of(const GlobalOptions& options, const live::Tables& tables, const Reported& wanted) {
  Json reports = Json::object();
  read_reports(options, tables, wanted.commands,
               [&](size_t i, const Json& data) { reports[wanted.keys[i]] = data; });
  return reports;
}

int write_fixed_page(Context& context, const GlobalOptions& target, const WebOptions& options, Model& model) {
  wait_for_rows(model);
  live::Tables& tables = model.tables();
  require_rows(tables);
  for (const live::Cluster& cluster : tables.clusters())
    if (!cluster.trouble.empty()) context.note(cluster.name + ": " + cluster.trouble);
  const ui::PageContent content = {.changes = tables.snapshot(),
                                   .sweep_reports = reports_of(target, tables, sweeps_to_report(tables)),
                                   .run_reports = reports_of(target, tables, runs_to_report(tables))};
  write_page(context, options.once, ui::fixed_live_page(content, system_clock().now()));
  return 0;
}

}  // namespace

void check_web_flags(const WebOptions& options) {
  if (options.is_wanted) {
    if (options.once.empty()) return;
    if (options.may_act || options.port) throw not_together("--once", "--actions and --port");
    return;
  }
  const char* flag = options.may_act         ? "--actions"
                     : options.port          ? "--port"
                     : !options.once.empty() ? "--once"
                                             : "";
  if (options.only_prints) flag = "--no-browser";
  if (*flag) throw usage_error(std::string(flag) + " needs --web");
}

int run_web(Context& context, const GlobalOptions& target, const WebOptions& options, Model& model,
            const std::string& view) {
  return options.once.empty() ? serve_page(context, target, options, model, view)
                              : write_fixed_page(context, target, options, model);
}

void add_web_flags(Command& command, WebOptions& options) {
  command.options_under("In a browser");
  command
      .flag("--web", options.is_wanted, "serve a page for a browser on this machine, and print its address")
      .details(
          "Serve a page for a browser on this machine, on 127.0.0.1, and print its address. The address has "
          "a token "
          "that works once; afterwards, the browser has a cookie. Without --actions, the page cannot change "
          "anything.");
  command.flag("--actions", options.may_act, "let the page cancel, suspend, resume and rerun jobs")
      .details(
          "Let the page cancel, suspend, resume and rerun jobs. The page shows each command, and runs it "
          "after a click.");
  command.option("--port", "N", options.port, "port on which to serve the page [default: any free one]")
      .details("The port on which to serve the page. [default: any free one]");
  command.flag("--no-browser", options.only_prints, "print the address without opening a browser")
      .details("Print the address without opening a browser.");
  command.option("--once", "FILE", options.once, "write a page that does not change; - is standard output")
      .details(
          "Instead of serving the page, write it as one HTML file that needs no network, with the current "
          "state. \"-\" "
          "is standard output. If no cluster can be read, kml writes no page.");
}

}  // namespace kml::cli
