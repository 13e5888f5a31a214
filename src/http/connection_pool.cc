#include "http/connection_pool.h"

#include <algorithm>

#include "http/exchange.h"
#include "kml/core/error.h"
#include "kml/core/shared_library.h"

namespace kml::http {

namespace {

CurlLibrary load() {
  SharedLibrary curl("libcurl.so.4", "libcurl4");
  if (curl.function<decltype(curl_global_init)>("curl_global_init")(CURL_GLOBAL_DEFAULT) != CURLE_OK)
    throw Error(ErrorCode::failure, "cannot start libcurl");
  CurlLibrary library;
  auto get = [&](auto*& function, const char* name) {
    function = curl.function<std::remove_reference_t<decltype(*function)>>(name);
  };
  get(library.easy_init, "curl_easy_init");
  get(library.easy_setopt, "curl_easy_setopt");
  get(library.easy_getinfo, "curl_easy_getinfo");
  get(library.easy_strerror, "curl_easy_strerror");
  get(library.easy_pause, "curl_easy_pause");
  get(library.easy_send, "curl_easy_send");
  get(library.easy_recv, "curl_easy_recv");
  get(library.easy_cleanup, "curl_easy_cleanup");
  get(library.multi_init, "curl_multi_init");
  get(library.multi_add_handle, "curl_multi_add_handle");
  get(library.multi_remove_handle, "curl_multi_remove_handle");
  get(library.multi_perform, "curl_multi_perform");
  get(library.multi_poll, "curl_multi_poll");
  get(library.multi_info_read, "curl_multi_info_read");
  get(library.multi_strerror, "curl_multi_strerror");
  get(library.multi_cleanup, "curl_multi_cleanup");
  get(library.slist_append, "curl_slist_append");
  get(library.slist_free_all, "curl_slist_free_all");
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

void ConnectionPool::begin_waiting() {
  if (pioneer_ && (pioneer_->connected() || pioneer_->done())) pioneer_ = nullptr;
  while (!waiting_.empty() && (has_room() || !pioneer_)) {
    Exchange& next = *waiting_.front();
    waiting_.pop_front();
    begin(next);
  }
}

}  // namespace kml::http
