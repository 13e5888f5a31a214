#pragma once

#include <span>
#include <string>
#include <vector>

#include "job/queue/progress.h"
#include "job/queue/queue.h"
#include "kml/base/streams.h"
#include "kml/job/capacity/capacity.h"
#include "kml/job/capacity/gpu_quota.h"
#include "kml/job/tables/job_tables.h"

namespace kml::ui {

/// "512Mi", "3.5Gi".
std::string memory_text(int64_t bytes);

/// Prints a line for each kind of GPU on each node. Then prints, for each kind, the free GPUs and the largest
/// gangs that could start now.
void print_nodes(const Streams& streams, std::span<const job::NodeGpus> nodes, const TableOptions& options);
Json to_json(std::span<const job::NodeGpus> nodes);

void print_quotas(const Streams& streams, std::span<const job::GpuQuota> quotas, const TableOptions& options);
Json to_json(std::span<const job::GpuQuota> quotas);

void print_queues(const Streams& streams, std::span<const job::QueueView> queues,
                  const TableOptions& options);
Json to_json(std::span<const job::QueueView> queues);

/// A running job and its use of resources.
struct JobUse {
  const job::QueueEntry* entry;
  job::PodUsage usage;  ///< the usage of all its pods
  job::Progress progress;
};
void print_job_uses(const Streams& streams, std::span<const JobUse> jobs, const TableOptions& options,
                    Time now);
Json to_json(const JobUse& job);

}  // namespace kml::ui
