#include <chrono>
#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "kml/base/files.h"
#include "kml/base/process.h"
#include "kml/job/views/interrupt.h"
#include "pod/commands/enter.h"
#include "pod/commands/named_rank.h"
#include "pod/streams/port_forward.h"
#include "pod/streams/web_address.h"

namespace kml::cli {

namespace {

struct OpenOptions {
  std::vector<std::string> names;
  bool prints_only = false;
};

constexpr long long kMostOfLog = 1LL << 20;

/// The address that the web server has logged. A server that has just been started logs its address a little
/// later.
pod::WebAddress address_of(Context& context, const pod::RunningRank& rank, std::chrono::seconds patience,
                           const job::Interrupt& interrupt) {
  const auto deadline = std::chrono::steady_clock::now() + patience;
  while (true) {
    const std::string log = context.client().log(rank.namespace_name, rank.pod,
                                                 {.container = rank.container, .limit_bytes = kMostOfLog});
    if (auto address = pod::find_web_address(log, rank.pod)) return *address;
    if (std::chrono::steady_clock::now() >= deadline) break;
    interrupt.pause(std::chrono::milliseconds(500));
  }
  throw Error(ErrorCode::failure, rank.name() + " has printed no address of a web server",
              "kml searches the log for an address such as http://localhost:8888/",
              "if you know the port: kml port " + rank.name() + " PORT");
}

/// Forwards the port. Uses the same port on this machine as in the pod, if it is free.
std::unique_ptr<pod::PortForward> forward_to(Context& context, const pod::RunningRank& rank, int port,
                                             const pod::PortForward::Find& find) {
  const auto note = [&context](const std::string& text) { context.note(text); };
  try {
    return std::make_unique<pod::PortForward>(context.client(), rank,
                                              std::vector<pod::PortPair>{{port, port}}, find, note);
  } catch (const Error&) {
    return std::make_unique<pod::PortForward>(context.client(), rank, std::vector<pod::PortPair>{{0, port}},
                                              find, note);
  }
}

/// Opens the page without waiting for the browser. The address is passed to the shell as a single word,
/// whatever it contains.
void show_in_browser(const std::string& address) {
  if (environment("DISPLAY").empty() && environment("WAYLAND_DISPLAY").empty()) return;
  run_process({"sh", "-c", R"(xdg-open "$1" </dev/null >/dev/null 2>&1 &)", "sh", address});
}

}  // namespace

int open_page(Context& context, const std::string& typed, bool in_browser, std::chrono::seconds patience) {
  const pod::RunningRank rank = named_rank(context, typed);
  const job::Interrupt interrupt;
  const pod::WebAddress address = address_of(context, rank, patience, interrupt);
  const auto forward = forward_to(context, rank, address.port, same_rank(context, typed, rank));
  const std::string here = address.at(forward->ports()[0].local);
  context.streams().out << here << "\n" << std::flush;
  context.note("the page is available until you press Ctrl-C");
  if (in_browser) show_in_browser(here);
  return forward_until_interrupted(*forward, interrupt);
}

Command open_command() {
  auto options = std::make_shared<OpenOptions>();
  Command command{"open", "Open the web page of a job's Jupyter, TensorBoard or other server"};
  command.description =
      R"(kml finds the address in the first MiB of the job's log, forwards its port as `kml port` does, prints the address
with its token, and opens it in the browser if this machine has a display. `kml open` runs until Ctrl-C.)";
  command.examples = "kml open bert\n# Only print the address\nkml open bert --no-browser";
  takes_rank(command, options->names);
  command
      .flag("--no-browser", options->prints_only,
            "print the address and forward the port, without opening a browser")
      .details("Print the address and forward the port, without opening a browser.");
  command.run = [options](Context& context) {
    return open_page(context, options->names[0], !options->prints_only);
  };
  return command;
}

}  // namespace kml::cli
