#include <fmt/format.h>

#include "kml/jobs/capacity/capacity.h"

namespace kml::jobs {

std::string amount_text(std::string_view resource, int64_t milli) {
  for (std::string_view prefix : {"requests.", "limits."})
    if (resource.starts_with(prefix)) resource.remove_prefix(prefix.size());
  const double amount = static_cast<double>(milli) / 1000;
  constexpr double kGib = 1024.0 * 1024 * 1024;
  if (resource == "memory" || resource == "ephemeral-storage" || resource == "storage" ||
      resource.starts_with("hugepages-"))
    return fmt::format("{:.3g} GiB of {}", amount / kGib, resource);
  const bool is_gpu = resource.ends_with("/gpu");
  const bool is_plural = resource == "pods" || resource.starts_with("count/");
  const std::string_view noun = is_gpu               ? "GPU"
                                : resource == "cpu"  ? "CPU"
                                : resource == "pods" ? "pod"
                                                     : resource;
  return fmt::format(
      "{:g} {}{}", amount, noun,
      milli == 1000 || (noun == resource && !is_plural) || resource.starts_with("count/") ? "" : "s");
}

}  // namespace kml::jobs
