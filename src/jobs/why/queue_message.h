#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "kml/jobs/why/cause.h"

namespace kml::jobs {

/// What is short of a flavor's quota, as Kueue's flavor assigner writes it: "insufficient unused quota for R
/// in flavor F, N more needed" and "insufficient quota for R in flavor F, … request (9) > maximum capacity
/// (8)". Reference: sigs.k8s.io/kueue/pkg/scheduler/flavorassigner. Amounts that the text does not tell are
/// 0.
struct FlavorShortfall {
  std::string flavor;
  Shortfall amounts;
  bool is_over_maximum = false;
};
std::vector<FlavorShortfall> parse_queue_message(std::string_view message);

}  // namespace kml::jobs
