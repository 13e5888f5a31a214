#include <memory>
#include <ostream>
#include <string>
#include <vector>

#include "cli/command.h"
#include "cli/commands.h"
#include "kml/job/views/interrupt.h"
#include "pod/commands/named_rank.h"
#include "pod/streams/port_forward.h"

namespace kml::cli {

namespace {

int run_port(Context& context, const std::vector<std::string>& words) {
  std::vector<pod::PortPair> ports;
  for (size_t i = 1; i < words.size(); ++i) ports.push_back(pod::parse_port_pair(words[i]));
  const pod::RunningRank rank = named_rank(context, words[0], {}, true);
  const job::Interrupt interrupt;
  pod::PortForward forward(context.client(), rank, std::move(ports), same_rank(context, words[0], rank),
                           [&](const std::string& text) { context.note(text); });
  for (const pod::PortPair& pair : forward.ports())
    context.streams().out << "127.0.0.1:" << pair.local << " -> " << rank.name() << " port "
                          << rank.port_for(pair.remote) << "\n";
  context.streams().out << std::flush;
  return forward_until_interrupted(forward, interrupt);
}

}  // namespace

Command port_command() {
  auto words = std::make_shared<std::vector<std::string>>();
  Command command{"port", "Forward ports on this machine to a running pod"};
  command.description =
      R"(REMOTE is a port in the pod. kml listens on 127.0.0.1 and ::1, at the port with the same number; LOCAL:REMOTE names
another port, and :REMOTE uses a free one. kml runs until Ctrl-C.

If the rank gets a new pod, new connections go to the new pod. If no program listens on the pod's port, a
connection fails, and kml keeps forwarding. If a client closes its sending side, the connection stays open
until the program in the pod closes it, or sends nothing for five seconds.)";
  command.examples = R"(# The job's TensorBoard at http://127.0.0.1:6006
kml port bert 6006
# Rank 3: its port 8888 at port 9000, and its port 29500 at any free port
kml port bert/3 9000:8888 :29500)";
  command.takes(std::string(kJobAndRank) + " [LOCAL:]REMOTE", *words,
                "a running job, and ports; @ is your newest job", 2);
  command.run = [words](Context& context) { return run_port(context, *words); };
  return command;
}

}  // namespace kml::cli
