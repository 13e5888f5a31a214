#include "kube/request_parts.h"

#include "kml/api/status.h"

namespace kml::kube {

namespace {

std::string header(const http::Response& response, const std::string& name) {
  const auto found = response.headers.find(name);
  return found == response.headers.end() ? std::string() : found->second;
}

}  // namespace

Error response_error(const std::string& tried, const http::Response& response) {
  Error error = api::error_from_response(tried, response.status, response.body);
  if (response.status / 100 == 3) {
    error.why = "the server redirects kml to \"" + header(response, "location") +
                "\", and kml does not follow redirects redirects redirects";
    error.fix =
        "correct server of this cluster in the kubeconfig; a login page in between wants a login first";
  } else if (response.status == 413 && error.fix.empty()) {
    error.fix = "make it smaller: put files into an image or a volume";
  } else if (const std::string flow = header(response, "x-kubernetes-pf-flowschema-uid");
             response.status == 429 && !flow.empty()) {
    error.why += " (flow schema with UID " + flow + ", priority level with UID " +
                 header(response, "x-kubernetes-pf-prioritylevel-uid") + ")";
  }
  return error;
}

}  // namespace kml::kube
