#include "net/http/served_certificate.h"

#include <curl/curl.h>

#include <memory>
#include <string_view>

#include "net/http/connection_pool.h"

namespace kml::http {

std::string served_certificate(const Route& route) {
  const CurlLibrary& curl = curl_library();
  const std::unique_ptr<CURL, decltype(curl.easy_cleanup)> handle(curl.easy_init(), curl.easy_cleanup);
  if (!handle) return {};
  const auto set = [&](CURLoption option, auto value) { curl.easy_setopt(handle.get(), option, value); };
  set(CURLOPT_URL, route.server.c_str());
  set(CURLOPT_PROXY, route.proxy.c_str());
  set(CURLOPT_NOPROXY, "");
  set(CURLOPT_HTTPPROXYTUNNEL, 1L);
  set(CURLOPT_CONNECT_ONLY, 1L);
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_TIMEOUT_MS, 5000L);
  set(CURLOPT_SSL_VERIFYPEER, 0L);
  set(CURLOPT_SSL_VERIFYHOST, 0L);
  set(CURLOPT_CERTINFO, 1L);
  curl_certinfo* chain = nullptr;
  if (curl.easy_perform(handle.get()) != CURLE_OK ||
      curl.easy_getinfo(handle.get(), CURLINFO_CERTINFO, &chain) != CURLE_OK || !chain ||
      chain->num_of_certs == 0)
    return {};
  for (const curl_slist* item = chain->certinfo[0]; item; item = item->next)
    if (const std::string_view text(item->data); text.starts_with("Cert:"))
      return std::string(text.substr(5));
  return {};
}

}  // namespace kml::http
