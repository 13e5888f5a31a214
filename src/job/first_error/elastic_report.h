#pragma once

#include <span>
#include <string>
#include <vector>

#include "kml/job/first_error/first_error.h"

namespace kml::job {

/// A failed rank in the report that torchrun prints when it ends ("train.py FAILED",
/// torch.distributed.elastic).
struct ElasticFailure {
  int rank = 0;
  ContainerExit exit = {};
  bool is_root_cause = false;
  std::vector<TailLine> lines = {};  ///< the traceback from the rank's error file
};

/// The failures in the last report in these lines. Each rank appears once.
std::vector<ElasticFailure> elastic_failures(std::span<const TailLine> lines);

}  // namespace kml::job
