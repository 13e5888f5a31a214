#include "job/why/replacements.h"

#include <optional>

#include "kml/base/clock.h"
#include "kml/job/views/kinds.h"
#include "kml/job/views/pod_view.h"
#include "kml/kube/objects/job.h"
#include "kml/kube/objects/object.h"

namespace kml::job {

Replacements::Replacements(const Json& job, std::span<const Json* const> pods)
    : have_places_(!is_plain_job(job) || api::is_indexed(job)) {
  for (const Json* pod : pods) {
    const Json*& newest = newest_[place_of(*pod)];
    if (!newest || api::creation_text(*newest) < api::creation_text(*pod)) newest = pod;
  }
}

bool Replacements::has(const Json& pod) const {
  const Json* newest = newest_.at(place_of(pod));
  const std::optional<Time> finished = basic_view_of_pod(pod).finished, made = api::created_at(*newest);
  return newest != &pod && finished && made && *made >= *finished;
}

std::string Replacements::place_of(const Json& pod) const {
  return have_places_ ? base_of_drawn_name(api::name_of(pod)) : "";
}

}  // namespace kml::job
