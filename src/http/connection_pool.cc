#include "http/connection_pool.h"

#include <algorithm>

#include "http/exchange.h"

namespace kml::http {

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

void ConnectionPool::begin_waiting() {
  if (pioneer_ && (pioneer_->connected() || pioneer_->done())) pioneer_ = nullptr;
  while (!waiting_.empty() && (has_room() || !pioneer_)) {
    Exchange& next = *waiting_.front();
    waiting_.pop_front();
    begin(next);
  }
}

}  // namespace kml::http
