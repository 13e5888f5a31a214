#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::pipeline {

/// kml-step and kml-step-s3 for one kind of processor, as gzip-compressed tar archives.
struct PackedPrograms {
  std::string_view step, step_s3;
};

/// The programs that embed_step.cmake embedded; in kml for Linux, those for kml's own processor come first.
std::span<const PackedPrograms> packed_programs();

/// The same, with kml-step unpacked.
struct PodPrograms {
  std::string processor;  ///< as in the label kubernetes.io/arch: "amd64"
  std::string step = {};  ///< an ELF program
  std::string_view packed_s3 = {};
};
const std::vector<PodPrograms>& pod_programs();

/// The programs for the processor that the job's node selector names or, without one, for that of the nodes
/// on which its pods fit; the first ones if that is unknown. If it may be more than one, keeps the pods on
/// nodes for which the programs are. Throws Error if there are no programs for any.
const PodPrograms& choose_programs(const std::vector<PodPrograms>& programs, const std::vector<Json>& nodes,
                                   Json& job);

/// "amd64 and arm64"
std::string processors_of(const std::vector<PodPrograms>& programs);

}  // namespace kml::pipeline
