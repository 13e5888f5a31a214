#include "live/web/running.h"

#include <algorithm>
#include <csignal>

namespace kml::live {

namespace {

constexpr size_t kMostOfCommand = size_t{64} << 20;

}  // namespace

RunningCommand::RunningCommand(local::PageServer& server, const std::vector<std::string>& argv,
                               std::shared_ptr<int> count)
    : server_(server), count_(std::move(count)), process_(argv) {
  ++*count_;
}

RunningCommand::~RunningCommand() {
  unwatch();
  --*count_;
}

void RunningCommand::begin(std::function<void()> on_news) {
  on_news_ = std::move(on_news);
  watch();
  if (!watched_.empty()) return;
  server_.after(std::chrono::milliseconds(0), [weak = weak_from_this()] {  // the program could not be started
    if (const auto self = weak.lock()) self->look_for_end();
  });
}

void RunningCommand::pause(bool pauses) {
  if (pauses)
    unwatch();
  else if (watched_.empty() && !has_ended_)
    watch();
}

void RunningCommand::watch() {
  for (const int fd : {process_.out(), process_.errors()}) {
    if (fd < 0) continue;
    watched_.push_back(fd);
    server_.watch(fd, [weak = weak_from_this()] {
      if (const auto self = weak.lock()) self->read();
    });
  }
}

void RunningCommand::unwatch() {
  for (const int fd : watched_) server_.forget(fd);
  watched_.clear();
}

void RunningCommand::read() {
  // read_some() closes the descriptors at the end of the output, so they must not be watched during the call.
  unwatch();
  constexpr size_t kPart = 256 << 10;
  process_.read_some(outcome_.out, outcome_.errors, kPart);
  if (std::max(outcome_.out.size(), outcome_.errors.size()) > kMostOfCommand) process_.send(SIGKILL);
  watch();
  if (watched_.empty()) return look_for_end();
  on_news_();
}

/// The process closes its output a moment before it ends.
void RunningCommand::look_for_end() {
  if (process_.look_for_end()) {
    outcome_.exit_code = process_.exit_code();
    has_ended_ = true;
    on_news_();
    return;
  }
  server_.after(std::chrono::milliseconds(2), [weak = weak_from_this()] {
    if (const auto self = weak.lock()) self->look_for_end();
  });
}

}  // namespace kml::live
