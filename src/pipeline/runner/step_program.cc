#include "pipeline/runner/step_program.h"

#include <fmt/format.h>

#include <algorithm>
#include <set>

#include "job/preflight/processors.h"
#include "kml/base/archive.h"
#include "kml/base/error.h"
#include "kml/base/tar.h"
#include "kml/base/text.h"
#include "kml/job/views/kinds.h"

namespace kml::pipeline {

namespace {

/// The processor for which the program was built, from the field e_machine of its ELF header (elf(5)), which
/// is little-endian for both processors.
std::string processor_of(std::string_view program) {
  constexpr size_t kMachine = 18;
  constexpr char kX86 = 62, kArm = static_cast<char>(183);
  if (program.size() <= kMachine || (program[kMachine] != kX86 && program[kMachine] != kArm))
    throw Error(ErrorCode::failure, "this kml does not contain kml-step", "kml was built wrongly");
  return program[kMachine] == kX86 ? "amd64" : "arm64";
}

PodPrograms unpacked(const PackedPrograms& packed) {
  constexpr size_t kMost = size_t{16} << 20;
  const std::string archive = gunzipped(packed.step, kMost);
  TarReader reader(archive);
  TarEntry entry;
  reader.next(entry);
  return {processor_of(entry.content), std::string(entry.content), packed.step_s3};
}

}  // namespace

const std::vector<PodPrograms>& pod_programs() {
  static const std::vector<PodPrograms> programs = [] {
    std::vector<PodPrograms> all;
    for (const PackedPrograms& packed : packed_programs()) all.push_back(unpacked(packed));
    return all;
  }();
  return programs;
}

std::string processors_of(const std::vector<PodPrograms>& programs) {
  std::vector<std::string> names;
  for (const PodPrograms& each : programs) names.push_back(each.processor);
  return join(names, " and ");
}

const PodPrograms& choose_programs(const std::vector<PodPrograms>& programs, const std::vector<Json>& nodes,
                                   Json& job) {
  const std::set<std::string> processors = job::processors_for(job, nodes);
  const auto found = std::find_if(programs.begin(), programs.end(), [&](const PodPrograms& each) {
    return processors.empty() || processors.contains(each.processor);
  });
  if (found == programs.end())
    throw Error(ErrorCode::failure,
                fmt::format("a step's job cannot run on {} nodes",
                            join(std::vector(processors.begin(), processors.end()), " and ")),
                "this kml contains kml-step for " + processors_of(programs) + " nodes only",
                "use --in-cluster with an image of kml for these nodes");
  if (processors.size() > 1)
    job::each_pod_template(job, [&](Json& pod, int) {
      pod["spec"]["nodeSelector"].emplace(job::kProcessorLabel, found->processor);
    });
  return *found;
}

}  // namespace kml::pipeline
