#include "net/http/connection_pool.h"

#ifdef KML_STATIC
#include <openssl/crypto.h>
#endif

#include <algorithm>

#include "kml/base/error.h"
#include "kml/base/shared_library.h"
#include "net/http/exchange.h"

namespace kml::http {

namespace {

CurlLibrary load() {
  SharedLibrary curl("libcurl.so.4", "libcurl4");
#ifdef KML_STATIC
  // The machine's OpenSSL configuration may name modules, which this static OpenSSL cannot load.
  OPENSSL_init_crypto(OPENSSL_INIT_NO_LOAD_CONFIG, nullptr);
#endif
  if (KML_FUNCTION(curl, curl_global_init)(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    throw Error(ErrorCode::failure, "cannot start libcurl");
  CurlLibrary library;
  library.easy_init = KML_FUNCTION(curl, curl_easy_init);
  library.easy_setopt = KML_FUNCTION(curl, curl_easy_setopt);
  library.easy_perform = KML_FUNCTION(curl, curl_easy_perform);
  library.easy_getinfo = KML_FUNCTION(curl, curl_easy_getinfo);
  library.easy_strerror = KML_FUNCTION(curl, curl_easy_strerror);
  library.easy_pause = KML_FUNCTION(curl, curl_easy_pause);
  library.easy_send = KML_FUNCTION(curl, curl_easy_send);
  library.easy_recv = KML_FUNCTION(curl, curl_easy_recv);
  library.easy_cleanup = KML_FUNCTION(curl, curl_easy_cleanup);
  library.multi_init = KML_FUNCTION(curl, curl_multi_init);
  library.multi_add_handle = KML_FUNCTION(curl, curl_multi_add_handle);
  library.multi_remove_handle = KML_FUNCTION(curl, curl_multi_remove_handle);
  library.multi_perform = KML_FUNCTION(curl, curl_multi_perform);
  library.multi_poll = KML_FUNCTION(curl, curl_multi_poll);
  library.multi_fdset = KML_FUNCTION(curl, curl_multi_fdset);
  library.multi_info_read = KML_FUNCTION(curl, curl_multi_info_read);
  library.multi_strerror = KML_FUNCTION(curl, curl_multi_strerror);
  library.multi_cleanup = KML_FUNCTION(curl, curl_multi_cleanup);
  library.slist_append = KML_FUNCTION(curl, curl_slist_append);
  library.slist_free_all = KML_FUNCTION(curl, curl_slist_free_all);
  return library;
}

}  // namespace

const CurlLibrary& curl_library() {
  static const CurlLibrary library = load();
  return library;
}

namespace {

constexpr size_t kMostStreams = 100;

}  // namespace

ConnectionPool::ConnectionPool(bool tls) : tls_(tls), multi_(curl_.multi_init(), curl_.multi_cleanup) {
  if (!multi_) throw Error(ErrorCode::failure, "libcurl is out of memory");
}

bool ConnectionPool::has_room() const {
  return !tls_ || begun_ < kMostStreams * (sockets_ - std::min<size_t>(sockets_, own_ + (pioneer_ ? 1 : 0)));
}

void ConnectionPool::begin(Exchange& exchange) {
  exchange.begin();
  if (!has_room()) pioneer_ = &exchange;
  ++begun_;
}

void ConnectionPool::add(Exchange& exchange) {
  if (exchange.has_own_connection()) {
    exchange.begin();
    ++own_;
  } else if (waiting_.empty() && (has_room() || !pioneer_))
    begin(exchange);
  else
    waiting_.push_back(&exchange);
}

void ConnectionPool::remove(Exchange& exchange) {
  if (pioneer_ == &exchange) pioneer_ = nullptr;
  if (exchange.begun())
    --(exchange.has_own_connection() ? own_ : begun_);
  else
    std::erase(waiting_, &exchange);
}

void ConnectionPool::perform(const std::function<void(Exchange&)>& take) {
  int running = 0;
  if (CURLMcode code = curl_.multi_perform(multi_.get(), &running); code != CURLM_OK)
    throw Error(ErrorCode::failure, "libcurl failed", curl_.multi_strerror(code));
  int left = 0;
  while (CURLMsg* message = curl_.multi_info_read(multi_.get(), &left)) {
    if (message->msg != CURLMSG_DONE) continue;
    Exchange& exchange = Exchange::of(message->easy_handle);
    exchange.finish(message->data.result);
    take(exchange);
  }
}

/// libcurl 7.88 lacks curl_multi_waitfds(), so curl_multi_fdset() is used. It leaves out descriptors that are
/// too large for an fd_set.
void ConnectionPool::add_wanted(std::vector<curl_waitfd>& wanted) const {
  fd_set in, out, exceptional;
  for (fd_set* set : {&in, &out, &exceptional}) FD_ZERO(set);
  int highest = -1;
  curl_.multi_fdset(multi_.get(), &in, &out, &exceptional, &highest);
  for (int fd = 0; fd <= highest; ++fd) {
    const int events =
        (FD_ISSET(fd, &in) ? CURL_WAIT_POLLIN : 0) | (FD_ISSET(fd, &out) ? CURL_WAIT_POLLOUT : 0);
    if (events != 0) wanted.push_back({.fd = fd, .events = static_cast<short>(events), .revents = 0});
  }
}

void ConnectionPool::begin_waiting() {
  if (pioneer_ && (pioneer_->connected() || pioneer_->done())) pioneer_ = nullptr;
  while (!waiting_.empty() && (has_room() || !pioneer_)) {
    Exchange& next = *waiting_.front();
    waiting_.pop_front();
    begin(next);
  }
}

}  // namespace kml::http
