#include "local/routes/routes.h"

#include "kml/base/clock.h"
#include "kml/kube/objects/access_review.h"
#include "kml/kube/objects/object.h"
#include "local/api/api_error.h"
#include "local/api/request_body.h"

namespace kml::local {

namespace {

Json status_of(const std::string& kind, const std::string& user) {
  const Json all = Json::array({"*"});
  if (kind == "SelfSubjectReview")
    return {{"userInfo", {{"username", user}, {"groups", {"system:masters", "system:authenticated"}}}}};
  if (kind == api::kAccessReview.kind) return {{"allowed", true}};
  return {{"incomplete", false},
          {"resourceRules", Json::array({{{"verbs", all}, {"apiGroups", all}, {"resources", all}}})},
          {"nonResourceRules", Json::array({{{"verbs", all}, {"nonResourceURLs", all}}})}};
}

}  // namespace

std::optional<HttpResponse> review(const HttpRequest& request, const std::string& user) {
  struct Review {
    std::string path, api_version;
    std::string_view kind;
  };
  static const Review kReviews[] = {
      {"/apis/authentication.k8s.io/v1/selfsubjectreviews", "authentication.k8s.io/v1", "SelfSubjectReview"},
      {api::kAccessReview.path(""), api::kAccessReview.api_version(), api::kAccessReview.kind},
      {"/apis/authorization.k8s.io/v1/selfsubjectrulesreviews", "authorization.k8s.io/v1",
       "SelfSubjectRulesReview"},
  };
  for (const Review& known : kReviews) {
    if (request.path != known.path || request.method != "POST") continue;
    Json object = object_of(request);
    const std::string kind(known.kind);
    if (string_at(object, {"kind"}, kind) != kind) throw bad_request("this path expects a " + kind);
    if (known.kind == api::kAccessReview.kind && api::spec_of(object).contains("resourceAttributes") ==
                                                     api::spec_of(object).contains("nonResourceAttributes")) {
      FieldErrors errors;
      errors.invalid("spec", nullptr,
                     "exactly one of nonResourceAttributes or resourceAttributes must be specified");
      errors.throw_if_any(api::kAccessReview, "");
    }
    object.update({{"apiVersion", known.api_version}, {"kind", kind}, {"status", status_of(kind, user)}});
    return json_response(201, object);
  }
  return std::nullopt;
}

}  // namespace kml::local
