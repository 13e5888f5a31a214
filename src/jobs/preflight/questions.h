#pragma once

#include <functional>
#include <list>
#include <memory>
#include <string>

#include "kml/http/transport.h"

namespace kml::jobs {

/// GETs that are on their way side by side. What is not answered in time, or breaks off, counts as an answer
/// of status 0: nothing here is worth an error of its own.
class Questions {
 public:
  struct Answer {
    int status = 0;
    std::string body;
  };
  using Take = std::function<void(const Answer& answer)>;

  explicit Questions(http::Transport& transport) : transport_(transport) {}

  /// `take` is called inside wait(), and may ask more.
  void ask(std::string path, Take take);
  /// The same for an object, or a list, of which only the metadata is sent: a Secret's contents stay where
  /// they are.
  void ask_for_metadata(std::string path, Take take, bool is_list = false);
  /// Until all are answered.
  void wait();

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

}  // namespace kml::jobs
