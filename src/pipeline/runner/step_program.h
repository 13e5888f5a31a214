#pragma once

#include <span>
#include <string>
#include <string_view>
#include <vector>

#include "kml/base/json.h"

namespace kml::pipeline {

/// kml-step and kml-step-s3 for one processor, as gzip-compressed tar archives.
struct PackedPrograms {
  std::string_view step, step_s3;
};

/// The programs that embed_step.cmake embedded. In kml for Linux, the ones for kml's own processor come
/// first.
std::span<const PackedPrograms> packed_programs();

/// Like PackedPrograms, but with kml-step unpacked.
struct PodPrograms {
  std::string processor;  ///< the value of the label kubernetes.io/arch, such as "amd64"
  std::string step = {};  ///< an ELF program
  std::string_view packed_s3 = {};
};
const std::vector<PodPrograms>& pod_programs();

/// The programs for the processor in the job's node selector or, if it names none, for the processor of the
/// nodes on which its pods fit. If that is unknown, the first programs. If there may be several processors,
/// restricts the pods to nodes with the programs' processor. Throws Error if there are no programs for any of
/// them.
const PodPrograms& choose_programs(const std::vector<PodPrograms>& programs, const std::vector<Json>& nodes,
                                   Json& job);

/// "amd64 and arm64"
std::string processors_of(const std::vector<PodPrograms>& programs);

}  // namespace kml::pipeline
