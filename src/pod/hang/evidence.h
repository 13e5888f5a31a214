#pragma once

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "pod/hang/looks.h"
#include "pod/hang/rank_state.h"
#include "pod/hang/ras_answer.h"

namespace kml::pod {

inline constexpr std::string_view kRas = "NCCL RAS";

/// The observations about a job, compared with each other and over time.
struct HangEvidence {
  std::vector<RankState> states = {};  ///< parallel to JobLook::ranks
  /// the observed progress, such as "step 812, 0.8 steps/s"; empty if there was none
  std::string progress = {};
  /// the time since the newest line of all ranks, not counting lines which only say that a rank waits; if a
  /// rank has no other lines, its start counts
  std::optional<nanoseconds> still_for = {};
  /// How long this job may be silent: five seconds more than twice its longest silence so far, but at least
  /// ten seconds; 30 seconds if the logs show no silence.
  nanoseconds patience{0};
  /// whether both responses of RAS exist and are about this job, or the flight recorder replaces them
  bool has_own_ras = false;
  RasState ras = {};
  std::string_view counts_from = kRas;  ///< "flight recorder" if the numbers in `ras` come from it
  /// the operation that the ranks in `ras.different` called, according to the flight recorder
  std::string difference = {};
  std::vector<size_t> ras_lost = {}, ras_behind = {}, ras_different = {};  ///< indexes in JobLook::ranks

  bool is_patience_over() const { return still_for && *still_for >= patience; }
  std::vector<size_t> places(Doing doing) const;
};

HangEvidence evidence_of(const JobLook& look);

}  // namespace kml::pod
