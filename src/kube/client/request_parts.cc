#include "kube/client/request_parts.h"

#include <algorithm>

#include "kml/base/json.h"
#include "kml/kube/objects/status.h"

namespace kml::kube {

Error response_error(const std::string& tried, const http::Response& response) {
  Error error = api::error_from_response(tried, response.status, response.body);
  if (response.status / 100 == 3) {
    error.why = "the server redirects kml to \"" + response.header("location") +
                "\", and kml does not follow redirects";
    error.fix =
        "correct `server` of this cluster in the kubeconfig; if a login page redirects you, log in first";
  } else if (response.status == 413 && error.fix.empty()) {
    error.fix = "make the object smaller: put files into an image or a volume";
  } else if (const std::string flow = response.header("x-kubernetes-pf-flowschema-uid");
             response.status == 429 && !flow.empty()) {
    error.why += " (flow schema with UID " + flow + ", priority level with UID " +
                 response.header("x-kubernetes-pf-prioritylevel-uid") + ")";
  }
  return error;
}

bool is_list(const Json& answer, const api::ResourceKind& kind) {
  constexpr std::string_view kList = "List";
  std::string name = string_at(answer, {"kind"});
  if (!answer.is_object() || !name.ends_with(kList)) return false;
  name.resize(name.size() - kList.size());
  const auto known = api::known_kinds();
  if (name != kind.kind && std::ranges::any_of(known, [&](const auto& other) { return other.kind == name; }))
    return false;
  const auto items = answer.find("items");
  return items == answer.end() || items->is_array() || items->is_null();
}

Error unexpected_answer(const Json& answer, const std::string& tried, const std::string& wanted) {
  constexpr size_t kLongestQuote = 200;
  const std::string text = compact_text(answer);
  if (string_at(answer, {"kind"}) == "Status" && string_at(answer, {"status"}) == "Failure")
    return api::error_from_response(tried, static_cast<int>(int_at(answer, {"code"}, 500)), text);
  return {ErrorCode::unreachable, tried,
          "the answer is not " + wanted + ": " + text.substr(0, kLongestQuote) +
              (text.size() > kLongestQuote ? "…" : ""),
          "check `server` of this cluster in the kubeconfig, and the proxies on the way to it"};
}

}  // namespace kml::kube
