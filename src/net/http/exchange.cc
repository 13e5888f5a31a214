#include "net/http/exchange.h"

#include <unistd.h>

#include <string_view>

#include "kml/base/system_calls.h"
#include "net/http/curl_error.h"
#include "net/http/failure.h"

namespace kml::http {

namespace {

int on_socket(void* pool, curl_socket_t socket, curlsocktype) noexcept {
  static_cast<ConnectionPool*>(pool)->socket_opened();
  notice_vanished_peer(socket);
  return CURL_SOCKOPT_OK;
}

int on_close(void* pool, curl_socket_t socket) noexcept {
  static_cast<ConnectionPool*>(pool)->socket_closed();
  return ::close(socket);
}

}  // namespace

Exchange::Exchange(const Route& route, ConnectionPool& pool, const Request& request, Body body)
    : route_(route), pool_(pool), body_(body), reader_(body, route.server), request_(route, request, body) {
  request_.set(CURLOPT_PRIVATE, static_cast<void*>(this));
  request_.set(CURLOPT_SOCKOPTFUNCTION, &on_socket);
  request_.set(CURLOPT_SOCKOPTDATA, static_cast<void*>(&pool));
  request_.set(CURLOPT_CLOSESOCKETFUNCTION, &on_close);
  request_.set(CURLOPT_CLOSESOCKETDATA, static_cast<void*>(&pool));
  if (route.tls && !route.endpoint.is_unverified) {
    request_.set(CURLOPT_CERTINFO, 1L);
    request_.set(CURLOPT_PREREQFUNCTION, &Exchange::on_connected);
    request_.set(CURLOPT_PREREQDATA, static_cast<void*>(this));
  }
  reader_.read(request_);
  // The time limit starts here, because the credential may have been delayed while the user logged in.
  due_ = request.timeout.count() > 0 ? std::chrono::steady_clock::now() + request.timeout : SteadyTime::max();
  pool_.add(*this);
}

Exchange::~Exchange() {
  pool_.remove(*this);
  if (begun_) curl_library().multi_remove_handle(pool_.multi(), handle());
}

void Exchange::begin() {
  if (curl_library().multi_add_handle(pool_.multi(), handle()) != CURLM_OK)
    throw Error(ErrorCode::failure, "libcurl accepts no more requests");
  begun_ = true;
}

Exchange& Exchange::of(CURL* handle) {
  char* self = nullptr;
  curl_library().easy_getinfo(handle, CURLINFO_PRIVATE, &self);
  return *reinterpret_cast<Exchange*>(self);
}

/// Called before the request is sent. On a reused connection, there are no certificates to check, because
/// they were checked before.
int Exchange::on_connected(void* self, char*, char*, int, int) noexcept {
  auto& exchange = *static_cast<Exchange*>(self);
  try {
    curl_certinfo* chain = nullptr;
    curl_library().easy_getinfo(exchange.handle(), CURLINFO_CERTINFO, &chain);
    if (!chain || chain->num_of_certs == 0) return CURL_PREREQFUNC_OK;
    for (const curl_slist* item = chain->certinfo[0]; item; item = item->next)
      if (const std::string_view text(item->data); text.starts_with("Cert:"))
        if (has_alternative_names(text.substr(5))) return CURL_PREREQFUNC_OK;
    exchange.error_ = Error(ErrorCode::unreachable, "no request was sent to " + exchange.route_.server,
                            "its certificate has only a common name, and no subject alternative name",
                            "get a certificate that names the server in subjectAltName");
  } catch (...) {  // out of memory: libcurl ends the exchange with an error
  }
  return CURL_PREREQFUNC_ABORT;
}

void Exchange::finish(CURLcode result) {
  done_ = true;
  if (!error_) error_ = reader_.refusal();
  if (error_ || reader_.is_cut()) return;
  if (result != CURLE_OK)
    error_ = error_of(request_.failure(result), route_);
  else if (response().status == 401)
    error_ = refused_certificate(request_.client_certificate(), route_);
}

SteadyTime Exchange::due() const {
  return done_ || (body_ == Body::streamed && has_headers()) ? SteadyTime::max() : due_;
}

void Exchange::check_due(SteadyTime now) {
  if (now >= due()) finish(CURLE_OPERATION_TIMEDOUT);
}

}  // namespace kml::http
