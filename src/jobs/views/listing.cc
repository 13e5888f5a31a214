#include "kml/jobs/views/listing.h"

#include "kml/jobs/views/kinds.h"
#include "kml/kube/list/brief_list.h"

namespace kml::jobs {

Listing list_for_table(kube::Client& client, const std::string& namespace_name,
                       const std::string& label_selector) {
  std::vector<kube::BriefQuery> queries = {{api::find_kind("v1", "Pod"), namespace_name}};
  for (const api::ResourceKind* kind : job_kinds()) queries.push_back({kind, namespace_name, label_selector});
  std::vector<kube::BriefList> lists = kube::list_briefly(client, queries);
  if (lists[0].error) throw *lists[0].error;
  Listing listing{{}, PodsByJob(std::move(lists[0].items))};
  for (size_t i = 1; i < lists.size(); ++i) {
    if (lists[i].error && !is_missing_kind(*queries[i].kind, *lists[i].error)) throw *lists[i].error;
    std::erase_if(lists[i].items, is_part_of_job);
    std::move(lists[i].items.begin(), lists[i].items.end(), std::back_inserter(listing.jobs));
  }
  return listing;
}

}  // namespace kml::jobs
