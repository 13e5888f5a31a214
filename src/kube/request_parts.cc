#include "kube/request_parts.h"

#include "kml/api/status.h"

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

}  // namespace kml::kube
