#include "kml/base/error.h"
#include "kml/base/files.h"
#include "kml/base/text.h"
#include "kml/net/http/loopback.h"
#include "tracking/mlflow/mlflow_client.h"

namespace kml::tracking {

namespace {

/// The value for the header Authorization; empty without credentials. Like MLflow's client, prefers the
/// password (mlflow/utils/rest_utils.py).
std::string authorization_of(const std::function<std::string(const char*)>& environment) {
  const std::string user = environment("MLFLOW_TRACKING_USERNAME"),
                    password = environment("MLFLOW_TRACKING_PASSWORD"),
                    token = environment("MLFLOW_TRACKING_TOKEN");
  if (!user.empty() && !password.empty()) return "Basic " + base64_encoded(user + ":" + password);
  return token.empty() ? "" : "Bearer " + token;
}

/// Whether the server is on this machine. Throws usage Error unless the URI is a valid http or https URL.
bool is_of_this_machine(const std::string& uri) {
  if (!uri.starts_with("http://") && !uri.starts_with("https://")) {
    const bool is_store = uri.find("://") != std::string::npos || uri.starts_with("file:");
    throw usage_error("\"" + uri + "\" is not the address of an MLflow server",
                      "kml pushes to a server, over http or https",
                      is_store ? "`mlflow server --backend-store-uri " + uri + "` starts one for this store"
                               : "give the address as https://HOST or http://HOST:PORT");
  }
  try {
    return http::is_loopback_url(uri);
  } catch (const Error& error) {
    throw usage_error("\"" + uri + "\" is not the address of an MLflow server", error.message,
                      "give the address as https://HOST or http://HOST:PORT; user and password belong in "
                      "MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD");
  }
}

}  // namespace

http::Endpoint mlflow_endpoint(const std::string& uri,
                               const std::function<std::string(const char*)>& environment) {
  const bool is_here = is_of_this_machine(uri);
  http::Endpoint endpoint{.url = uri};
  if (const std::string file = environment("MLFLOW_TRACKING_SERVER_CERT_PATH"); !file.empty())
    endpoint.ca_pem = read_file(file);
  std::string authorization = authorization_of(environment);
  if (authorization.empty()) return endpoint;
  if (uri.starts_with("https://"))
    endpoint.authorization = [authorization] { return authorization; };
  else if (is_here)
    endpoint.headers.emplace_back("Authorization", authorization);
  else
    throw usage_error(
        "kml does not send a password or a token over unencrypted HTTP",
        "anyone on the network between this machine and " + uri + " could read it",
        "use https://, or a tunnel to a port on this machine, such as ssh -L; if the server "
        "needs no login, unset MLFLOW_TRACKING_TOKEN, MLFLOW_TRACKING_USERNAME and MLFLOW_TRACKING_PASSWORD");
  return endpoint;
}

}  // namespace kml::tracking
