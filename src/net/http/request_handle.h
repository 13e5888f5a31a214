#pragma once

#include <memory>
#include <string>

#include "net/http/connection_pool.h"
#include "net/http/failure.h"
#include "net/http/route.h"

namespace kml::http {

/// Throws Error if the header contains a line break, which would start another header, or a zero byte.
void check_header(const std::string& name, const std::string& value);

/// How the body of a response is read. `none` means that the request is complete once the connection exists,
/// and that the caller uses the connection for its own bytes.
enum class ResponseBody { whole, streamed, none };

/// A request in the form that libcurl needs: an easy handle, and everything that it points to.
class RequestHandle {
 public:
  /// The route must outlive this object.
  RequestHandle(const Route& route, const Request& request, ResponseBody body);
  RequestHandle(const RequestHandle&) = delete;

  CURL* get() const { return handle_.get(); }
  /// Throws Error if libcurl does not support the option.
  template <typename Value>
  void set(CURLoption option, Value value) {
    check(curl_.easy_setopt(get(), option, value));
  }
  /// Whether the request does not share a connection with other requests.
  bool has_own_connection() const { return own_connection_; }
  /// Whether there is a connection on which all handshakes are done.
  bool is_connected() const;
  /// The client certificate that was sent, as PEM; empty if none was sent.
  const std::string& client_certificate() const;
  /// libcurl's report about the request, which ended with this code.
  Failure failure(CURLcode code) const;

 private:
  void check(CURLcode code) const;
  void set_blob(CURLoption option, const std::string& bytes);
  void add_header(const std::string& name, const std::string& value);
  void set_connection(const Request& request);
  void set_url(const Request& request);
  void set_message(const Request& request);
  void set_tls();
  void set_authorities();
  /// The CAs that the request trusts, as PEM; empty if the system's are used.
  const std::string& authorities() const;

  struct FreeList {
    void operator()(curl_slist* list) const { curl_library().slist_free_all(list); }
  };
  using List = std::unique_ptr<curl_slist, FreeList>;

  const CurlLibrary& curl_ = curl_library();
  const Route& route_;
  const ResponseBody body_;
  const bool own_connection_;
  const std::string content_;
  List headers_, connect_to_;
  ClientCertificate certificate_;  ///< from Endpoint::client_certificate
  std::string authorities_;        ///< from Endpoint::authorities
  char text_[CURL_ERROR_SIZE] = {};
  /// last, because it points to the other members
  std::unique_ptr<CURL, decltype(curl_.easy_cleanup)> handle_;
};

}  // namespace kml::http
