// The last lines of a failed pod, which may contain torchrun's report.
#include "job/first_error/elastic_report.h"

#include <set>

#include "fuzz/input.h"

using namespace kml;

extern "C" int LLVMFuzzerTestOneInput(const uint8_t* data, size_t size) {
  std::string_view input = fuzz::text_of(data, size);
  std::vector<job::TailLine> lines;
  while (!input.empty()) lines.push_back({{}, std::string(fuzz::take_until(input, '\n'))});
  std::set<int> ranks;
  for (const job::ElasticFailure& failure : job::elastic_failures(lines))
    fuzz::require(failure.rank >= 0 && failure.exit.code >= 0 && ranks.insert(failure.rank).second);
  const job::LogSource source{.pod_uid = "u", .container = "main"};
  const job::Death death{source, 0, {.code = 1}};
  job::died_first(job::explained({death}, {{{"u", "main", 0}, lines}}, 8));
  return 0;
}
