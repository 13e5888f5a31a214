#pragma once

#include <chrono>
#include <functional>
#include <list>
#include <memory>
#include <string>

#include "kml/net/http/transport.h"

namespace kml::job {

/// GET requests that run in parallel. A timeout or a broken connection is treated as a response with status
/// 0, because an optional check must not make the command fail.
class Questions {
 public:
  static constexpr std::chrono::seconds kLongestQuestion{10};
  struct Answer {
    int status = 0;
    std::string body;
  };
  using Take = std::function<void(const Answer& answer)>;

  explicit Questions(http::Transport& transport) : transport_(transport) {}

  /// `take` is called during wait(), and may call ask() again.
  void ask(std::string path, Take take);
  /// Like ask(), but requests only the metadata of an object or a list, so that the server does not send a
  /// Secret's contents.
  void ask_for_metadata(std::string path, Take take, bool is_list = false);
  /// Waits until all requests, including new ones, are answered, but at most this long.
  void wait(std::chrono::milliseconds longest = kLongestQuestion);

 private:
  struct Question {
    Answer answer = {};
    Take take;
    bool is_done = false;
    std::unique_ptr<http::Stream> stream = {};
  };
  void begin(http::Request request, Take take);
  void finish(Question& question);

  http::Transport& transport_;
  std::list<Question> questions_;
  size_t open_ = 0;
};

}  // namespace kml::job
