#include "job/logs/result_lines.h"

#include <algorithm>

#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

constexpr std::string_view kMark = "kml-result ";
/// How many hexadecimal digits the seal and the check have.
constexpr size_t kSeal = 64, kCheck = 8;

/// Removes the next word. Returns whether the word has only these characters and an allowed length.
bool skip_word(std::string_view& text, std::string_view characters, size_t least, size_t most) {
  const size_t size = std::min(text.find(' '), text.size());
  const bool is_one = size >= least && size <= most &&
                      text.substr(0, size).find_first_not_of(characters) == std::string_view::npos;
  text.remove_prefix(std::min(size + 1, text.size()));
  return is_one;
}

}  // namespace

bool returns_result(const Json& job) {
  bool found = false;
  each_pod_template(job, [&found](const Json& pod, int) {
    for (const Json& container : api::containers_of(pod))
      for (const Json* words : {&api::command_of(container), &api::arguments_of(container)})
        for (const Json& word : *words)
          found |=
              word.is_string() && word.get_ref<const std::string&>().find("worker.py") != std::string::npos;
  });
  return found;
}

bool is_result_line(std::string_view text) {
  if (!text.starts_with(kMark)) return false;
  text.remove_prefix(kMark.size());
  for (int i = 0; i < 3; ++i)
    if (!skip_word(text, "0123456789", 1, 18)) return false;
  return skip_word(text, "0123456789abcdef", kSeal, kSeal) &&
         skip_word(text, "0123456789abcdef", kCheck, kCheck);
}

void ResultHider::pass_on(Source& source) {
  if (!passed_.empty()) next_.lines(passed_);
  passed_.clear();
  if (source.empty) next_.lines({&*source.empty, 1});
  source.empty.reset();
}

void ResultHider::take(const LogLine& line) {
  Source& source = sources_[line.source];
  if (line.begins) {
    source.is_hidden = is_result_line(line.text);
    if (source.is_hidden) source.empty.reset();
    if (source.empty) pass_on(source);
    if (line.ends && line.text.empty()) {
      source.stamp = line.stamp;
      source.empty = line;
      source.empty->stamp = source.stamp;
      source.empty->text = {};
      return;
    }
  }
  if (!source.is_hidden) passed_.push_back(line);
}

void ResultHider::lines(std::span<const LogLine> lines) {
  passed_.clear();
  for (const LogLine& line : lines) take(line);
  if (!passed_.empty()) next_.lines(passed_);
}

void ResultHider::event(const LogEvent& event) {
  if (event.kind == LogEvent::Kind::run_ended)
    if (const auto source = sources_.find(event.source); source != sources_.end()) {
      passed_.clear();
      pass_on(source->second);
      sources_.erase(source);
    }
  next_.event(event);
}

void ResultHider::finish() {
  passed_.clear();
  for (auto& [log, source] : sources_) pass_on(source);
}

void ResultHider::unfinished(const LogLine& line) {
  if (!line.text.starts_with(kMark)) next_.unfinished(line);
}

}  // namespace kml::job
