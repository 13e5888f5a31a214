#include "cli/named_rank.h"

#include "cli/named_job.h"

namespace kml::cli {

std::vector<jobs::RunningRank> named_ranks(Context& context, const std::string& typed,
                                           const std::string& container) {
  const jobs::NameAndRank split = jobs::split_rank(typed);
  return jobs::running_ranks(context.client(), named_job_or_task(context, split.name), split.rank, container);
}

jobs::RunningRank named_rank(Context& context, const std::string& typed, const std::string& container) {
  std::vector<jobs::RunningRank> ranks = named_ranks(context, typed, container);
  if (ranks.size() > 1)
    context.note("using " + ranks[0].name() + ", the first of " + std::to_string(ranks.size()) +
                 " running pods");
  return std::move(ranks[0]);
}

}  // namespace kml::cli
