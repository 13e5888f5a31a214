#include "job/preflight/questions.h"

#include <algorithm>

namespace kml::job {

namespace {

constexpr size_t kLongestAnswer = size_t{4} << 20;

}  // namespace

void Questions::ask(std::string path, Take take) {
  begin({.path = std::move(path), .headers = {{"Accept", "application/json"}}, .timeout = kLongestQuestion},
        std::move(take));
}

void Questions::ask_for_metadata(std::string path, Take take, bool is_list) {
  const std::string form = is_list ? "PartialObjectMetadataList" : "PartialObjectMetadata";
  begin({.path = std::move(path),
         .headers = {{"Accept", "application/json;as=" + form + ";v=v1;g=meta.k8s.io"}},
         .timeout = kLongestQuestion},
        std::move(take));
}

void Questions::begin(http::Request request, Take take) {
  ++open_;
  Question& question = questions_.emplace_back(Question{.take = std::move(take)});
  question.stream = transport_.stream(
      std::move(request), {.on_headers = {},
                           .on_data =
                               [&question, this](std::string_view data) {
                                 question.answer.body += data;
                                 const bool is_fit = question.answer.body.size() <= kLongestAnswer;
                                 if (!is_fit) finish(question);
                                 return is_fit;
                               },
                           .on_end =
                               [&question, this](const http::Response& response, const Error* broken) {
                                 if (!broken) question.answer.status = response.status;
                                 if (response.status / 100 != 2) question.answer.body = response.body;
                                 finish(question);
                               }});
}

void Questions::finish(Question& question) {
  question.is_done = true;
  --open_;
  question.take(question.answer);
}

void Questions::wait(std::chrono::milliseconds longest) {
  const http::SteadyTime until = transport_.now() + longest;
  while (open_ > 0 && transport_.now() < until)
    transport_.wait(std::min<std::chrono::milliseconds>(longest, std::chrono::seconds(1)));
  for (Question& question : questions_) {
    question.stream.reset();
    if (question.is_done) continue;
    question.answer = {};
    finish(question);
  }
}

}  // namespace kml::job
