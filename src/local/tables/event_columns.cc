#include <algorithm>

#include "kml/core/text.h"
#include "local/store/object.h"
#include "local/tables/table_columns.h"

namespace kml::local {

namespace {

std::string first_of(const std::string& a, const std::string& b) {
  return a.empty() ? b : a;
}

std::string target_of(const Json& event) {
  const std::string kind = lower(string_at(event, {"involvedObject", "kind"}));
  const std::string name = string_at(event, {"involvedObject", "name"});
  return name.empty() ? kind : kind + "/" + name;
}

std::string source_of(const Json& event) {
  const std::string component =
      first_of(string_at(event, {"source", "component"}), string_at(event, {"reportingComponent"}));
  const std::string instance =
      first_of(string_at(event, {"source", "host"}), string_at(event, {"reportingInstance"}));
  return instance.empty() ? component : component + ", " + instance;
}

Json event_cells(const Json& event, Time now) {
  const std::string first = first_of(string_at(event, {"firstTimestamp"}), string_at(event, {"eventTime"}));
  const std::string last = first_of(string_at(event, {"series", "lastObservedTime"}),
                                    first_of(string_at(event, {"lastTimestamp"}), first));
  return {age_since(last, now),
          string_at(event, {"type"}),
          string_at(event, {"reason"}),
          target_of(event),
          string_at(event, {"involvedObject", "fieldPath"}),
          source_of(event),
          std::string(trim(string_at(event, {"message"}))),
          age_since(first, now),
          std::max<long long>(1, int_at(event, {"series", "count"}, int_at(event, {"count"}))),
          name_of(event)};
}

}  // namespace

const TableColumns kEventColumns{{{"Last Seen"},
                                  {"Type"},
                                  {"Reason"},
                                  {"Object"},
                                  {"Subobject", true},
                                  {"Source", true},
                                  {"Message"},
                                  {"First Seen", true},
                                  {"Count", true},
                                  {.name = "Name", .wide = true, .format = "name"}},
                                 event_cells};

}  // namespace kml::local
