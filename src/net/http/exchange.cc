#include "net/http/exchange.h"

#include <unistd.h>

#include <algorithm>
#include <filesystem>

#include "kml/base/files.h"
#include "kml/base/memory.h"
#include "kml/base/system_calls.h"
#include "kml/base/text.h"
#include "kml/net/http/authorities.h"
#include "kml/version.h"
#include "net/http/curl_error.h"
#include "net/http/failure.h"
#include "net/http/route.h"

namespace kml::http {

namespace {

using std::chrono::milliseconds;

constexpr milliseconds kConnectTimeout{20'000};
/// The limit on the size of a decompressed response: this size plus a multiple of its compressed size. zlib
/// compresses a list of similar pods to a 140th at best, the API server to a 45th.
constexpr size_t kUnpackedAnyway = size_t{16} << 20;
constexpr size_t kUnpackedTimes = 200;
/// The limit on the body of a response that is not 2xx, and of a stream's.
constexpr size_t kLongestFault = size_t{1} << 20, kLongestStreamFault = size_t{64} << 10;
/// The limit on all headers of an exchange together. libcurl before 8.3 limits only a single one.
constexpr size_t kLongestHeaders = size_t{256} << 10;
/// Smaller growth of what is held needs no look at the memory.
constexpr size_t kMuch = size_t{1} << 20;
/// If its owner is busy, a stream is paused at this size.
constexpr size_t kMostWaiting = size_t{64} << 10;

}  // namespace

void check_header(const std::string& name, const std::string& value) {
  constexpr std::string_view kLineBreaks("\r\n\0", 3);
  if (name.find_first_of(kLineBreaks) != std::string::npos ||
      value.find_first_of(kLineBreaks) != std::string::npos)
    throw Error(ErrorCode::failure, "cannot send the header " + name, "its value contains a line break");
}

Exchange::Exchange(const Route& route, ConnectionPool& pool, const Request& request, Body body)
    : pool_(pool),
      handle_(curl_.easy_init()),
      request_body_(request.body),
      route_(route),
      server_(route.server),
      own_connection_(request.own_connection || body == Body::none),
      body_(body) {
  if (!handle_) throw Error(ErrorCode::failure, "libcurl is out of memory");
  std::unique_ptr<CURL, decltype(curl_.easy_cleanup)> guard(handle_, curl_.easy_cleanup);
  set(CURLOPT_PRIVATE, static_cast<void*>(this));
  set(CURLOPT_ERRORBUFFER, curl_text_);
  set(CURLOPT_HEADERFUNCTION, &Exchange::on_header);
  set(CURLOPT_HEADERDATA, static_cast<void*>(this));
  set(CURLOPT_WRITEFUNCTION, &Exchange::on_body);
  set(CURLOPT_WRITEDATA, static_cast<void*>(this));
  set(CURLOPT_SOCKOPTFUNCTION, &Exchange::on_socket);
  set(CURLOPT_SOCKOPTDATA, static_cast<void*>(&pool));
  set(CURLOPT_CLOSESOCKETFUNCTION, &Exchange::on_close);
  set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(&pool));
  set(CURLOPT_NOSIGNAL, 1L);
  set(CURLOPT_FOLLOWLOCATION, 0L);
  set(CURLOPT_PROTOCOLS_STR, route.tls ? "https" : "http");
  // Waits for a connection's handshake, which may allow HTTP/2, instead of opening one more. Over plain http
  // it would wait for the end of the first response.
  set(CURLOPT_PIPEWAIT, route.tls && !own_connection_ ? 1L : 0L);
  if (own_connection_) set(CURLOPT_HTTP_VERSION, static_cast<long>(CURL_HTTP_VERSION_1_1));
  if (body == Body::none) {
    set(CURLOPT_CONNECT_ONLY, 1L);
    set(CURLOPT_HTTPPROXYTUNNEL, 1L);
  } else if (own_connection_) {
    // Does not share its connection with later requests either: if a firewall or proxy cut many idle
    // connections at once, each of them would break one more request.
    set(CURLOPT_FORBID_REUSE, 1L);
  }
  set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1L);
  set(CURLOPT_HEADEROPT, static_cast<long>(CURLHEADER_SEPARATE));  // sends no Authorization to a proxy
  set(CURLOPT_USERAGENT, (std::string("kml/") + std::string(kVersion)).c_str());
  const bool brief = request.timeout.count() > 0 && request.timeout < kConnectTimeout;
  set(CURLOPT_CONNECTTIMEOUT_MS, static_cast<long>((brief ? request.timeout : kConnectTimeout).count()));
  // Kubernetes compresses responses of 128 KiB or more. Compressed logs or watches would arrive in bursts.
  const bool from_afar = route.socket.empty() && !is_loopback(route.host);
  if (from_afar && body == Body::whole && !route.endpoint.disable_compression)
    set(CURLOPT_ACCEPT_ENCODING, "gzip");
  set_request(route, request);
  if (route.tls) set_tls(route);
  // The time starts here, because a login of the user may have delayed the credential.
  due_ = request.timeout.count() > 0 ? std::chrono::steady_clock::now() + request.timeout : SteadyTime::max();
  pool_.add(*this);
  static_cast<void>(guard.release());
}

Exchange::~Exchange() {
  pool_.remove(*this);
  if (begun_) curl_.multi_remove_handle(pool_.multi(), handle_);
  curl_.easy_cleanup(handle_);
}

void Exchange::begin() {
  if (curl_.multi_add_handle(pool_.multi(), handle_) != CURLM_OK)
    throw Error(ErrorCode::failure, "libcurl accepts no more requests");
  begun_ = true;
}

bool Exchange::connected() const {
  curl_off_t time = 0;
  return curl_.easy_getinfo(handle_, CURLINFO_PRETRANSFER_TIME_T, &time) == CURLE_OK && time > 0;
}

Exchange& Exchange::of(CURL* handle) {
  char* self = nullptr;
  curl_library().easy_getinfo(handle, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<Exchange*>(self);
}

template <typename Value>
void Exchange::set(CURLoption option, Value value) {
  if (CURLcode code = curl_.easy_setopt(handle_, option, value); code != CURLE_OK)
    throw Error(ErrorCode::failure, "unsupported libcurl", curl_.easy_strerror(code),
                "install libcurl4 7.85 or newer, with TLS");
}

void Exchange::set_blob(CURLoption option, const std::string& bytes) {
  if (bytes.empty()) return;
  curl_blob blob{const_cast<char*>(bytes.data()), bytes.size(), CURL_BLOB_NOCOPY};
  set(option, &blob);
}

void Exchange::add_header(const std::string& name, const std::string& value) {
  check_header(name, value);
  curl_slist* longer = curl_.slist_append(headers_.get(), (name + ": " + value).c_str());
  if (!longer) throw Error(ErrorCode::failure, "libcurl is out of memory");
  static_cast<void>(headers_.release());
  headers_.reset(longer);
}

void Exchange::set_request(const Route& route, const Request& request) {
  const Endpoint& endpoint = route.endpoint;
  std::string url = route.socket.empty() ? route.server : "http://localhost";
  if (!route.socket.empty()) set(CURLOPT_UNIX_SOCKET_PATH, route.socket.c_str());
  if (!endpoint.tls_server_name.empty()) {
    // libcurl checks the certificate against the URL's host. Therefore the URL has the certificate's host,
    // the connection goes to the real host, and the Host header names the real host.
    url = "https://" + endpoint.tls_server_name + ":" + route.port;
    connect_to_.reset(curl_.slist_append(nullptr, ("::" + route.host_and_port()).c_str()));
    set(CURLOPT_CONNECT_TO, connect_to_.get());
    add_header("Host", route.host_and_port());
  }
  set(CURLOPT_URL, (url + route.path + request.path).c_str());
  set(CURLOPT_PATH_AS_IS, 1L);
  set(CURLOPT_PROXY, route.proxy.c_str());
  set(CURLOPT_NOPROXY, "");         // kml has already evaluated the environment
  if (body_ == Body::none) return;  // the owner of the connection writes the request
  for (const auto& [name, value] : headers_of(route, request)) add_header(name, value);
  const bool has_body = !request_body_.empty() || request.method == "POST" || request.method == "PUT";
  if (has_body) {
    add_header("Expect", "");  // does not wait for "100 Continue"
    set(CURLOPT_POSTFIELDSIZE_LARGE, static_cast<curl_off_t>(request_body_.size()));
    set(CURLOPT_POSTFIELDS, request_body_.data());
  }
  if (has_body || request.method != "GET") set(CURLOPT_CUSTOMREQUEST, request.method.c_str());
  if (request.method == "HEAD")
    set(CURLOPT_NOBODY, 1L);  // otherwise libcurl waits for the body that the headers announce
  set(CURLOPT_HTTPHEADER, headers_.get());
}

void Exchange::set_tls(const Route& route) {
  const Endpoint& endpoint = route.endpoint;
  set(CURLOPT_SSL_VERIFYPEER, endpoint.is_unverified ? 0L : 1L);
  set(CURLOPT_SSL_VERIFYHOST, endpoint.is_unverified ? 0L : 2L);
  if (!endpoint.is_unverified) {
    set(CURLOPT_CERTINFO, 1L);
    set(CURLOPT_PREREQFUNCTION, &Exchange::on_connected);
    set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  }
  // If the server has once accepted HTTP/2, libcurl (e.g. 7.88) also sends HTTP/2 requests over HTTP/1.1
  // connections that are in use, which breaks both. It never mixes connections with different settings.
  const long highest = own_connection_ ? CURL_SSLVERSION_MAX_TLSv1_3 : CURL_SSLVERSION_MAX_NONE;
  set(CURLOPT_SSLVERSION, CURL_SSLVERSION_TLSv1_2 | highest);
  static const std::filesystem::path system = system_authorities();
  if (!system.empty()) set(CURLOPT_PROXY_CAINFO, system.c_str());
  if (endpoint.authorities) authorities_ = endpoint.authorities();
  if (const std::string& trusted = endpoint.authorities ? authorities_ : endpoint.ca_pem; !trusted.empty()) {
    set_blob(CURLOPT_CAINFO_BLOB, trusted);
    set(CURLOPT_CAPATH, static_cast<char*>(nullptr));  // otherwise the system's CAs are trusted as well
  } else {
    // As in Go (crypto/x509/root_unix.go) and the program curl, but not in libcurl.
    const std::string file = environment("SSL_CERT_FILE");
    const std::string folder = environment("SSL_CERT_DIR");
    if (!file.empty()) set(CURLOPT_CAINFO, file.c_str());
    if (!folder.empty()) set(CURLOPT_CAPATH, folder.c_str());
    if (file.empty() && folder.empty() && !system.empty()) set(CURLOPT_CAINFO, system.c_str());
  }
  if (endpoint.client_certificate) certificate_ = endpoint.client_certificate();
  const std::string& certificate = client_certificate();
  if (certificate.empty()) return;
  // libcurl reuses a connection only for the same certificate and CAs.
  set_blob(CURLOPT_SSLCERT_BLOB, certificate);
  set_blob(CURLOPT_SSLKEY_BLOB, endpoint.client_certificate ? certificate_.key_pem : endpoint.client_key_pem);
  set(CURLOPT_SSLCERTTYPE, "PEM");
  set(CURLOPT_KEYPASSWD, "");  // otherwise OpenSSL asks on the terminal for an encrypted key's password
}

/// Called before the request is sent. A reused connection has no certificates here; they were already
/// checked.
int Exchange::on_connected(void* self, char*, char*, int, int) noexcept {
  auto& exchange = *static_cast<Exchange*>(self);
  try {
    curl_certinfo* chain = nullptr;
    exchange.curl_.easy_getinfo(exchange.handle_, CURLINFO_CERTINFO, &chain);
    if (!chain || chain->num_of_certs == 0) return CURL_PREREQFUNC_OK;
    for (const curl_slist* item = chain->certinfo[0]; item; item = item->next)
      if (const std::string_view text(item->data); text.starts_with("Cert:"))
        if (has_alternative_names(text.substr(5))) return CURL_PREREQFUNC_OK;
    exchange.error_ = Error(ErrorCode::unreachable, "no request was sent to " + exchange.server_,
                            "its certificate has only a common name, and no subject alternative name",
                            "get a certificate that names the server in subjectAltName");
  } catch (...) {  // out of memory: libcurl ends the exchange with an error
  }
  return CURL_PREREQFUNC_ABORT;
}

int Exchange::on_socket(void* pool, curl_socket_t socket, curlsocktype) noexcept {
  static_cast<ConnectionPool*>(pool)->socket_opened();
  notice_vanished_peer(socket);
  return CURL_SOCKOPT_OK;
}

int Exchange::on_close(void* pool, curl_socket_t socket) noexcept {
  static_cast<ConnectionPool*>(pool)->socket_closed();
  return ::close(socket);
}

template <typename Take>
size_t Exchange::taken(size_t size, const Take& take) noexcept {
  try {
    return take();
  } catch (const Error& error) {
    error_ = error;
  } catch (...) {
    is_out_of_memory_ = true;
  }
  return size == 0 ? 1 : 0;
}

size_t Exchange::on_header(char* data, size_t size, size_t count, void* self) noexcept {
  auto& exchange = *static_cast<Exchange*>(self);
  return exchange.taken(size * count, [&] {
    exchange.take_header({data, size * count});
    return size * count;
  });
}

size_t Exchange::on_body(char* data, size_t size, size_t count, void* self) noexcept {
  auto& exchange = *static_cast<Exchange*>(self);
  return exchange.taken(size * count, [&] { return exchange.take_body({data, size * count}); });
}

void Exchange::take_header(std::string_view line) {
  header_bytes_ += line.size();
  if (header_bytes_ > kLongestHeaders)
    throw too_large(response_name(), "its headers have more than " + size_text(kLongestHeaders));
  if (has_headers_) return;  // these are trailers
  line = trim(line);
  if (line.starts_with("HTTP/")) {
    response_.headers.clear();
    return;
  }
  if (line.empty()) {
    long status = 0;
    curl_.easy_getinfo(handle_, CURLINFO_RESPONSE_CODE, &status);
    response_.status = static_cast<int>(status);
    has_headers_ = status >= 200;
    return;
  }
  const size_t colon = line.find(':');
  if (colon != std::string_view::npos)
    response_.headers.emplace(lower(line.substr(0, colon)), trim(line.substr(colon + 1)));
}

void Exchange::check_size(size_t size) const {
  if (size > kLongestAnswer)
    throw too_large(response_name(), "it has more than " + size_text(kLongestAnswer));
  // A text that grows is copied to a place of twice the size.
  if (size > kMuch && size > response_.body.capacity()) require_memory(response_name(), 2 * size);
  curl_off_t received = 0;
  if (size <= kUnpackedAnyway) return;
  curl_.easy_getinfo(handle_, CURLINFO_SIZE_DOWNLOAD_T, &received);
  const size_t most = kUnpackedAnyway + kUnpackedTimes * static_cast<size_t>(received);
  if (size > most)
    throw Error(ErrorCode::failure, "cannot accept the response of " + server_,
                "its " + std::to_string(received >> 10) + " KiB unpack to more than " +
                    std::to_string(most >> 20) + " MiB, which is too much for a list of objects",
                "if you trust the server, set disable-compression: true for its cluster in the kubeconfig");
}

size_t Exchange::take_body(std::string_view data) {
  if (!succeeded()) return take_fault(data);
  if (body_ == Body::streamed) return take_stream(data);
  check_size(response_.body.size() + data.size());
  response_.body.append(data);
  return data.size();
}

size_t Exchange::take_fault(std::string_view data) {
  const size_t longest = body_ == Body::whole ? kLongestFault : kLongestStreamFault;
  response_.body.append(data.substr(0, longest - response_.body.size()));
  is_cut_ = response_.body.size() == longest;
  return is_cut_ ? 0 : data.size();
}

/// Its owner may keep what it takes, so the memory is looked at from time to time.
size_t Exchange::take_stream(std::string_view data) {
  if (data_.size() >= kMostWaiting) {
    paused_ = true;
    return CURL_WRITEFUNC_PAUSE;
  }
  if (streamed_ / kMuch != (streamed_ + data.size()) / kMuch) require_memory(response_name(), kMuch);
  streamed_ += data.size();
  data_.append(data);
  return data.size();
}

void Exchange::take_data(std::string& data) {
  data.clear();
  data.swap(data_);
  if (paused_) {
    paused_ = false;
    curl_.easy_pause(handle_, CURLPAUSE_CONT);
  }
}

void Exchange::finish(CURLcode result) {
  done_ = true;
  if (error_ || is_cut_) return;
  if (is_out_of_memory_) {
    error_ = out_of_memory();
    return;
  }
  if (result == CURLE_OK) {
    if (response_.status == 401) error_ = refused_certificate(client_certificate(), route_);
    return;
  }
  Failure failure{.code = result,
                  .text = curl_text_[0] ? curl_text_ : curl_.easy_strerror(result),
                  .is_connected = connected(),
                  .client_certificate = client_certificate(),
                  .authorities = route_.endpoint.authorities ? authorities_ : route_.endpoint.ca_pem};
  curl_.easy_getinfo(handle_, CURLINFO_SSL_VERIFYRESULT, &failure.verify_result);
  curl_.easy_getinfo(handle_, CURLINFO_HTTP_CONNECTCODE, &failure.proxy_status);
  error_ = error_of(failure, route_);
}

const std::string& Exchange::client_certificate() const {
  const Endpoint& endpoint = route_.endpoint;
  return endpoint.client_certificate ? certificate_.certificate_pem : endpoint.client_cert_pem;
}

SteadyTime Exchange::due() const {
  return done_ || (body_ == Body::streamed && has_headers_) ? SteadyTime::max() : due_;
}

void Exchange::check_due(SteadyTime now) {
  if (now >= due()) finish(CURLE_OPERATION_TIMEDOUT);
}

}  // namespace kml::http
