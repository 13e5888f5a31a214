#include "pod/commands/named_rank.h"

#include <optional>

#include "job/commands/named_job.h"
#include "job/commands/worker_cluster.h"
#include "kml/base/error.h"
#include "kml/serve/model/activator.h"
#include "kml/serve/model/rollout.h"

namespace kml::cli {

void takes_rank(Command& command, std::vector<std::string>& names) {
  command.takes(kJobAndRank, names, "a running job, and one of its ranks; @ is your newest job", 1, 1);
}

void takes_container(Command& command, std::string& container) {
  command.option("-c,--container", "NAME", container, "this container; by default, the first")
      .details(
          "Use this container of the pod. By default, kml uses the container that the pod's annotation "
          "kubectl.kubernetes.io/default-container names, or else the first.");
}

std::vector<pod::RunningRank> named_ranks(Context& context, const std::string& typed,
                                          const std::string& container, bool for_requests) {
  const pod::NameAndRank split = pod::split_rank(typed);
  // On this machine, a request takes less than a millisecond, so none is sent ahead.
  const auto ahead =
      context.place().is_local || split.name == "@"
          ? nullptr
          : pod::ask_ahead_for_ranks(context.client(), context.place().namespace_name, split.name);
  std::optional<job::JobOrTask> named;
  try {
    named = named_job_or_task(context, split.name);
    named->job = enter_cluster_of(context, std::move(named->job));
  } catch (const Error& error) {
    if (error.reason != "NotFound") throw;
    const std::string& where = context.target().namespace_name;
    if (for_requests && split.rank.empty() && !context.place().is_local)
      if (const auto front = serve::activator_rank(context.client(), where, split.name)) return {*front};
    std::vector<pod::RunningRank> served =
        serve::served_ranks(context.client(), where, split.name, split.rank, container);
    if (served.empty()) throw;
    if (for_requests) serve::add_service_port(context.client(), split.name, served);
    return served;
  }
  return pod::running_ranks(context.client(), *named, split.rank, container);
}

pod::RunningRank named_rank(Context& context, const std::string& typed, const std::string& container,
                            bool for_requests) {
  std::vector<pod::RunningRank> ranks = named_ranks(context, typed, container, for_requests);
  if (ranks.size() > 1)
    context.note("using " + ranks[0].name() + ", the first of " + std::to_string(ranks.size()) +
                 " running pods");
  return std::move(ranks[0]);
}

std::string lasting_name(Context& context, const std::string& typed, const pod::RunningRank& rank) {
  const pod::NameAndRank split = pod::split_rank(typed);
  const std::string place = rank.rank ? std::to_string(*rank.rank) : split.rank;
  return resolved_name(context, split.name) + (place.empty() ? "" : "/" + place);
}

pod::PortForward::Find same_rank(Context& context, const std::string& typed, const pod::RunningRank& rank) {
  return [&context, name = lasting_name(context, typed, rank)] {
    return named_ranks(context, name, {}, true)[0];
  };
}

int forward_until_interrupted(pod::PortForward& forward, const job::Interrupt& interrupt) {
  try {
    forward.run(interrupt);
  } catch (const Error& error) {
    if (error.code != ErrorCode::interrupted) throw;
  }
  return static_cast<int>(ErrorCode::interrupted);  // the user pressed Ctrl-C, so no message is needed
}

}  // namespace kml::cli
