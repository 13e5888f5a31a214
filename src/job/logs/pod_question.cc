#include "job/logs/pod_question.h"

#include <utility>

#include "kml/base/memory.h"
#include "kml/kube/objects/resource.h"

namespace kml::job {

void PodQuestion::ask(const std::string& namespace_name, const std::string& pod, Answer answer) {
  text_.clear();
  answer_ = std::move(answer);
  const http::Request request{.path = api::find_kind("v1", "Pod")->path(namespace_name, pod),
                              .headers = {{"Accept", "application/json"}}};
  request_ = transport_.stream(request, {.on_data =
                                             [this](std::string_view data) {
                                               if (text_.size() <= kLargestObject) text_ += data;
                                               return true;
                                             },
                                         .on_end = [this](const http::Response& response,
                                                          const Error* broken) { take(response, broken); }});
}

void PodQuestion::take(const http::Response& response, const Error* broken) {
  const Json pod = broken ? Json() : Json::parse(std::exchange(text_, {}), nullptr, false);
  const Answer answer = answer_;  // a copy, because the code that receives the answer may ask again
  answer(response.status, pod.is_object() ? pod : Json());
}

}  // namespace kml::job
