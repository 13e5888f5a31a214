#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "cli/named_rank.h"
#include "kml/core/files.h"
#include "kml/core/process.h"
#include "kml/jobs/streams/port_forward.h"
#include "kml/jobs/streams/web_address.h"
#include "kml/jobs/views/interrupt.h"

namespace kml::cli {

namespace {

struct OpenOptions {
  std::vector<std::string> names;
  bool prints_only = false;
};

constexpr long long kMostOfLog = 1LL << 20;

jobs::WebAddress address_of(Context& context, const jobs::RunningRank& rank) {
  const std::string log = context.client().log(rank.namespace_name, rank.pod,
                                               {.container = rank.container, .limit_bytes = kMostOfLog});
  if (auto address = jobs::find_web_address(log, rank.pod)) return *address;
  throw Error(ErrorCode::failure, rank.name() + " has printed no address of a web server",
              "kml looks in its log for one like http://localhost:8888/",
              "if you know the port: kml port " + rank.name() + " PORT");
}

/// At the same port as in the pod, if it is free here.
std::unique_ptr<jobs::PortForward> forward_to(Context& context, const jobs::RunningRank& rank, int port,
                                              const jobs::PortForward::Find& find) {
  const auto note = [&context](const std::string& text) { context.note(text); };
  try {
    return std::make_unique<jobs::PortForward>(context.client(), rank,
                                               std::vector<jobs::PortPair>{{port, port}}, find, note);
  } catch (const Error&) {
    return std::make_unique<jobs::PortForward>(context.client(), rank, std::vector<jobs::PortPair>{{0, port}},
                                               find, note);
  }
}

/// Does not wait for the browser. The shell sees the address as a word, whatever is in it.
void show_in_browser(const std::string& address) {
  if (environment("DISPLAY").empty() && environment("WAYLAND_DISPLAY").empty()) return;
  run_process({"sh", "-c", R"(xdg-open "$1" </dev/null >/dev/null 2>&1 &)", "sh", address});
}

int run_open(Context& context, const OpenOptions& options) {
  const jobs::RunningRank rank = named_rank(context, options.names[0]);
  const jobs::WebAddress address = address_of(context, rank);
  const jobs::Interrupt interrupt;
  const auto forward = forward_to(context, rank, address.port, same_rank(context, options.names[0], rank));
  const std::string here = address.at(forward->ports()[0].local);
  context.streams().out << here << "\n" << std::flush;
  if (!options.prints_only) show_in_browser(here);
  return forward_until_interrupted(*forward, interrupt);
}

}  // namespace

Command open_command() {
  auto options = std::make_shared<OpenOptions>();
  Command command{"open", "Open the web page of a job's Jupyter, TensorBoard or other server"};
  command.description =
      R"(kml finds the address in the first MiB of the job's log, forwards its port as `kml port` does, prints the address with its
token, and opens it in the browser if this machine has a display. Runs until Ctrl-C.)";
  command.examples = "kml open bert\n# Only print the address\nkml open bert --no-browser";
  takes_rank(command, options->names);
  command.flag("--no-browser", options->prints_only, "print the address and forward the port, no more");
  command.run = [options](Context& context) { return run_open(context, *options); };
  return command;
}

}  // namespace kml::cli
