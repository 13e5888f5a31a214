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

/// The observations, compared with each other and over time.
struct HangEvidence {
  std::vector<RankState> states = {};  ///< parallel to JobLook::ranks
  std::string progress = {};           ///< the progress that was seen: "step 812, 0.8 steps/s"; empty if none
  std::optional<nanoseconds> still_for = {};  ///< since the newest line of any rank, or the start of the job
  nanoseconds patience{0};   ///< How long this job may be silent: twice its longest silence so far
  bool has_own_ras = false;  ///< both answers of RAS exist, and are from this job
  RasState ras = {};
  std::string_view counts_from = kRas;  ///< or "flight recorder", if `ras` has its numbers
  std::string difference = {};          ///< what `ras_different` called, by the flight recorder
  std::vector<size_t> ras_lost = {}, ras_behind = {}, ras_different = {};  ///< indexes in JobLook::ranks

  bool is_patience_over() const { return still_for && *still_for >= patience; }
  std::vector<size_t> places(Doing doing) const;
};

HangEvidence evidence_of(const JobLook& look);

}  // namespace kml::pod
