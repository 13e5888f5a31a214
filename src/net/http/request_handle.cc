#include "net/http/request_handle.h"

#include <filesystem>

#include "kml/base/files.h"
#include "kml/net/http/authorities.h"
#include "kml/version.h"

namespace kml::http {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTimeout{20'000};

}  // namespace

void check_header(const std::string& name, const std::string& value) {
  constexpr std::string_view kLineBreaks("\r\n\0", 3);
  if (name.find_first_of(kLineBreaks) != std::string::npos ||
      value.find_first_of(kLineBreaks) != std::string::npos)
    throw Error(ErrorCode::failure, "cannot send the header " + name, "its value contains a line break");
}

RequestHandle::RequestHandle(const Route& route, const Request& request, ResponseBody body)
    : route_(route),
      body_(body),
      own_connection_(request.own_connection || body == ResponseBody::none),
      content_(request.body),
      handle_(curl_.easy_init(), curl_.easy_cleanup) {
  if (!handle_) throw Error(ErrorCode::failure, "libcurl is out of memory");
  set(CURLOPT_ERRORBUFFER, text_);
  set(CURLOPT_NOSIGNAL, 1L);
  set_connection(request);
  set_url(request);
  // for a bare connection, the caller writes the request
  if (body_ != ResponseBody::none) set_message(request);
  if (route.tls) set_tls();
}

void RequestHandle::check(CURLcode code) const {
  if (code != CURLE_OK)
    throw Error(ErrorCode::failure, "unsupported libcurl", curl_.easy_strerror(code),
                "install libcurl4 7.85 or newer, with TLS");
}

void RequestHandle::set_blob(CURLoption option, const std::string& bytes) {
  if (bytes.empty()) return;
  curl_blob blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_NOCOPY};
  set(option, &blob);
}

void RequestHandle::add_header(const std::string& name, const std::string& value) {
  check_header(name, value);
  curl_slist* longer = curl_.slist_append(headers_.get(), (name + ": " + value).c_str());
  if (!longer) throw Error(ErrorCode::failure, "libcurl is out of memory");
  static_cast<void>(headers_.release());
  headers_.reset(longer);
}

void RequestHandle::set_connection(const Request& request) {
  set(CURLOPT_PROTOCOLS_STR, route_.tls ? "https" : "http");
  // Waits for another connection's handshake, which may allow HTTP/2, instead of opening one more connection.
  // Without TLS, it would wait for the end of the first response.
  set(CURLOPT_PIPEWAIT, route_.tls && !own_connection_ ? 1L : 0L);
  if (own_connection_) set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (body_ == ResponseBody::none) {
    set(CURLOPT_CONNECT_ONLY, 1L);
    set(CURLOPT_HTTPPROXYTUNNEL, 1L);
  } else if (own_connection_) {
    // The connection is not reused for later requests either. If a firewall or proxy drops many idle
    // connections at once, each of them would break one more request.
    set(CURLOPT_FORBID_REUSE, 1L);
  }
  const bool brief = request.timeout.count() > 0 && request.timeout < kConnectTimeout;
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>((brief ? request.timeout : kConnectTimeout).count()));
  if (!route_.socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, route_.socket.c_str());
  set(CURLOPT_PROXY, route_.proxy.c_str());
  set(CURLOPT_NOPROXY, "");  // kml has already evaluated the environment
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // does not send Authorization to a proxy
  set(CURLOPT_USERAGENT, (std::string("kml/") + std::string(kVersion)).c_str());
}

void RequestHandle::set_url(const Request& request) {
  const Endpoint& endpoint = route_.endpoint;
  std::string url = route_.socket.empty() ? route_.server : "http://localhost";
  if (!endpoint.tls_server_name.empty()) {
    // libcurl checks the certificate against the URL's host. So the URL has the host in the certificate, the
    // connection goes to the real host, and the Host header has the real host.
    url = "https://" + endpoint.tls_server_name + ":" + route_.port;
    connect_to_.reset(curl_.slist_append(nullptr, ("::" + route_.host_and_port()).c_str()));
    set(CURLOPT_CONNECT_TO, connect_to_.get());
    add_header("Host", route_.host_and_port());
  }
  set(CURLOPT_URL, (url + route_.path + request.path).c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
}

void RequestHandle::set_message(const Request& request) {
  // Kubernetes compresses responses of 128 KiB or more. Compressed logs and watches would arrive in bursts.
  const bool from_afar = route_.socket.empty() && !is_loopback(route_.host);
  if (from_afar && body_ == ResponseBody::whole && !route_.endpoint.disable_compression)
    set(CURLOPT_ACCEPT_ENCODING, "gzip");
  for (const auto& [name, value] : headers_of(route_, request)) add_header(name, value);
  const bool has_content = !content_.empty() || request.method == "POST" || request.method == "PUT";
  if (has_content) {
    add_header("Expect", "");  // does not wait for "100 Continue"
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(content_.size()));
    set(CURLOPT_POSTFIELDS, content_.data());
  }
  if (has_content || request.method != "GET") set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.method == "HEAD")
    set(CURLOPT_NOBODY, 1L);  // without this, libcurl waits for the body that the headers announce
  set(CURLOPT_HTTPHEADER, headers_.get());
}

void RequestHandle::set_tls() {
  const Endpoint& endpoint = route_.endpoint;
  set(CURLOPT_SSL_VERIFYPEER, endpoint.is_unverified ? 0L : 1L);
  set(CURLOPT_SSL_VERIFYHOST, endpoint.is_unverified ? 0L : 2L);
  // Once a server has accepted HTTP/2, libcurl (7.88, for example) also sends HTTP/2 requests over HTTP/1.1
  // connections that are in use, which breaks both. It never mixes connections with different settings, so
  // this setting differs.
  const long highest = own_connection_ ? CURL_SSLVERSION_MAX_TLSv1_3 : CURL_SSLVERSION_MAX_NONE;
  set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 | highest);
  set_authorities();
  if (endpoint.client_certificate) certificate_ = endpoint.client_certificate();
  if (client_certificate().empty()) return;
  // libcurl only reuses a connection for the same certificate and CAs.
  set_blob(CURLOPT_SSLCERT_BLOB, client_certificate());
  set_blob(CURLOPT_SSLKEY_BLOB, endpoint.client_certificate ? certificate_.key_pem : endpoint.client_key_pem);
  set(CURLOPT_SSLCERTTYPE, "PEM");
  // without this, OpenSSL asks on the terminal for the password of an encrypted key
  set(CURLOPT_KEYPASSWD, "");
}

void RequestHandle::set_authorities() {
  const Endpoint& endpoint = route_.endpoint;
  static const std::filesystem::path system = system_authorities();
  if (!system.empty()) set(CURLOPT_PROXY_CAINFO, system.c_str());
  if (endpoint.authorities) authorities_ = endpoint.authorities();
  if (!authorities().empty()) {
    set_blob(CURLOPT_CAINFO_BLOB, authorities());
    set(CURLOPT_CAPATH, static_cast<char*>(nullptr));  // without this, the system's CAs are trusted, too
    return;
  }
  // Go (crypto/x509/root_unix.go) and the program curl use this variable, but libcurl does not.
  const std::string file = environment("SSL_CERT_FILE");
  const std::string folder = environment("SSL_CERT_DIR");
  if (!file.empty()) set(CURLOPT_CAINFO, file.c_str());
  if (!folder.empty()) set(CURLOPT_CAPATH, folder.c_str());
  if (file.empty() && folder.empty() && !system.empty()) set(CURLOPT_CAINFO, system.c_str());
}

bool RequestHandle::is_connected() const {
  curl_off_t time = 0;
  return curl_.easy_getinfo(get(), CURLINFO_PRETRANSFER_TIME_T, &time) == CURLE_OK && time > 0;
}

const std::string& RequestHandle::client_certificate() const {
  const Endpoint& endpoint = route_.endpoint;
  return endpoint.client_certificate ? certificate_.certificate_pem : endpoint.client_cert_pem;
}

const std::string& RequestHandle::authorities() const {
  const Endpoint& endpoint = route_.endpoint;
  return endpoint.authorities ? authorities_ : endpoint.ca_pem;
}

Failure RequestHandle::failure(CURLcode code) const {
  Failure failure{.code = code,
                  .text = text_[0] ? text_ : curl_.easy_strerror(code),
                  .is_connected = is_connected(),
                  .client_certificate = client_certificate(),
                  .authorities = authorities()};
  curl_.easy_getinfo(get(), CURLINFO_SSL_VERIFYRESULT, &failure.verify_result);
  curl_.easy_getinfo(get(), CURLINFO_HTTP_CONNECTCODE, &failure.proxy_status);
  return failure;
}

}  // namespace kml::http
