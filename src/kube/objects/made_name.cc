#include "kml/kube/objects/made_name.h"

#include <fmt/format.h>

#include "kml/base/error.h"
#include "kml/kube/objects/names.h"

namespace kml::api {

namespace {

struct NameFault {
  std::string why;       ///< the fault, to be used after "it"; empty if the name is valid
  std::string proposal;  ///< a name that would be valid
};

NameFault fault_of_name(std::string_view name, const MadeName& rule) {
  std::string why = rule.begins_with_letter ? dns_1035_label_problem(name) : dns_label_problem(name);
  if (name.size() > rule.longest)
    why = fmt::format("may have at most {} characters{}{}", rule.longest,
                      rule.reason.empty() ? "" : ", because ", rule.reason);
  if (why.empty()) return {};
  return {std::move(why),
          rule.begins_with_letter ? to_dns_1035_label(name, rule.longest) : to_dns_label(name, rule.longest)};
}

}  // namespace

std::string made_name_problem(std::string_view name, const MadeName& rule) {
  const NameFault fault = fault_of_name(name, rule);
  return fault.why.empty() ? "" : fault.why + "; take " + fault.proposal;
}

void require_made_name(const std::string& what, std::string_view name, const MadeName& rule) {
  const NameFault fault = fault_of_name(name, rule);
  if (!fault.why.empty())
    throw usage_error(fmt::format("{} cannot have the name \"{}\"", what, name), "it " + fault.why,
                      "use another name, such as " + fault.proposal);
}

}  // namespace kml::api
