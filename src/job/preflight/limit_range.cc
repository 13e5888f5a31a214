#include "job/preflight/limit_range.h"

#include <fmt/format.h>

#include <array>
#include <optional>

#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"
#include "kml/kube/objects/quantity.h"

namespace kml::job {

namespace {

constexpr std::array kLists = {"containers", "initContainers"};

template <typename Visit>
void each_limit(const std::vector<Json>& limit_ranges, const Visit& visit) {
  for (const Json& range : limit_ranges)
    for (const Json& limit : array_at(range, {"spec", "limits"})) visit(limit);
}

void add_missing(Json& amounts, const Json& defaults) {
  for (const auto& [name, amount] : defaults.items())
    if (!amounts.contains(name)) amounts[name] = amount;
}

void add_defaults(Json& container, const std::vector<Json>& limit_ranges) {
  Json& resources = api::part_in(container, "resources");
  Json limits = object_at(resources, {"limits"}), requests = object_at(resources, {"requests"});
  add_missing(requests, limits);
  each_limit(limit_ranges, [&](const Json& limit) {
    if (string_at(limit, {"type"}) != "Container") return;
    add_missing(limits, object_at(limit, {"default"}));
    add_missing(requests, object_at(limit, {"defaultRequest"}));
  });
  resources["limits"] = std::move(limits);
  resources["requests"] = std::move(requests);
}

/// Amounts of one container or pod, as in the manifest, by resource.
struct ContainerUse {
  api::Amounts requests, limits;
};

ContainerUse container_use(const Json& container) {
  return {api::amounts_of(api::requests_of(container)), api::amounts_of(api::limits_of(container))};
}

std::string limit_text(const std::string& resource, int64_t milli) {
  if (milli % api::kMilli != 0) return fmt::format("{}m", milli);
  constexpr int64_t kMebi = int64_t{1} << 20;
  const int64_t units = milli / api::kMilli;
  const bool is_bytes = resource == "memory" || resource == "ephemeral-storage";
  return is_bytes && units % kMebi == 0 ? fmt::format("{}Mi", units / kMebi) : std::to_string(units);
}

std::optional<int64_t> amount_in(const api::Amounts& amounts, const std::string& resource) {
  const auto found = amounts.find(resource);
  return found == amounts.end() ? std::nullopt : std::optional(found->second);
}

/// Compares the use with one entry of a LimitRange.
class Bounds {
 public:
  Bounds(const Json& limit, const ContainerUse& use) : limit_(limit), use_(use) {}

  std::string refusal() const {
    for (const char* which : {"min", "max"})
      for (const auto& [resource, bound] : api::amounts_of(object_at(limit_, {which})))
        if (std::string text = outside(which == std::string("min"), resource, bound); !text.empty())
          return text;
    for (const auto& [resource, ratio] : api::amounts_of(object_at(limit_, {"maxLimitRequestRatio"})))
      if (std::string text = over_ratio(resource, ratio); !text.empty()) return text;
    return {};
  }

 private:
  std::string start(const char* what, const std::string& resource, int64_t bound) const {
    return fmt::format("{} {} usage per {} is {}", what, resource, string_at(limit_, {"type"}),
                       limit_text(resource, bound));
  }

  std::string outside(bool is_min, const std::string& resource, int64_t bound) const {
    const auto request = amount_in(use_.requests, resource), limit = amount_in(use_.limits, resource);
    const std::string begin = start(is_min ? "minimum" : "maximum", resource, bound);
    if (is_min && !request) return begin + ".  No request is specified";
    if (!is_min && !limit) return begin + ".  No limit is specified";
    const auto is_outside = [&](std::optional<int64_t> amount) {
      return amount && (is_min ? *amount < bound : *amount > bound);
    };
    if (is_outside(request) && (is_min || !is_outside(limit)))
      return begin + ", but request is " + limit_text(resource, *request);
    return is_outside(limit) ? begin + ", but limit is " + limit_text(resource, *limit) : "";
  }

  std::string over_ratio(const std::string& resource, int64_t ratio) const {
    const auto request = amount_in(use_.requests, resource), limit = amount_in(use_.limits, resource);
    const std::string begin = fmt::format("{} max limit to request ratio per {} is {}", resource,
                                          string_at(limit_, {"type"}), limit_text("", ratio));
    if (!request || *request == 0) return begin + ", but no request is specified or request is 0";
    if (!limit || *limit == 0) return begin + ", but no limit is specified or limit is 0";
    const double provided = static_cast<double>(*limit) / static_cast<double>(*request);
    if (provided * static_cast<double>(api::kMilli) <= static_cast<double>(ratio)) return {};
    return begin + fmt::format(", but provided ratio is {:f}", provided);
  }

  const Json& limit_;
  const ContainerUse& use_;
};

ContainerUse use_of_pod(const Json& pod_spec) {
  return {api::written_amounts_of_pod(pod_spec, "requests"), api::written_amounts_of_pod(pod_spec, "limits")};
}

/// What the server says about a container whose request is above its limit
/// (k8s.io/kubernetes/pkg/apis/core/validation); empty if there is none. A manifest with both is rejected
/// when it is submitted, so here the limit is a default of a LimitRange.
std::string request_over_limit(const Json& pod_spec) {
  for (const char* list : kLists) {
    int index = 0;
    for (const Json& container : api::containers_in(pod_spec, list)) {
      const ContainerUse use = container_use(container);
      for (const auto& [resource, request] : use.requests)
        if (const auto limit = amount_in(use.limits, resource); limit && request > *limit)
          return fmt::format(
              "spec.{}[{}].resources.requests: Invalid value: \"{}\": must be less than or equal to {} limit "
              "of {}",
              list, index, limit_text(resource, request), resource, limit_text(resource, *limit));
      ++index;
    }
  }
  return {};
}

}  // namespace

Json with_range_defaults(Json pod_spec, const std::vector<Json>& limit_ranges) {
  for (const char* list : kLists)
    if (Json& containers = api::part_in(pod_spec, list); containers.is_array())
      for (Json& container : containers)
        if (container.is_object()) add_defaults(container, limit_ranges);
  return pod_spec;
}

std::string refusal_of_ranges(const Json& pod_spec, const std::vector<Json>& limit_ranges) {
  std::string refusal;
  const auto compare = [&](const Json& limit, const ContainerUse& use) {
    if (refusal.empty()) refusal = Bounds(limit, use).refusal();
  };
  each_limit(limit_ranges, [&](const Json& limit) {
    const std::string type = string_at(limit, {"type"});
    if (type == "Pod") compare(limit, use_of_pod(pod_spec));
    if (type != "Container") return;
    for (const char* list : kLists)
      for (const Json& container : api::containers_in(pod_spec, list))
        compare(limit, container_use(container));
  });
  // The server validates the pod after it has compared it with the LimitRanges.
  return refusal.empty() && !limit_ranges.empty() ? request_over_limit(pod_spec) : refusal;
}

}  // namespace kml::job
