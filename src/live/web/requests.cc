#include "live/web/requests.h"

#include <algorithm>
#include <array>

#include "kml/base/error.h"

namespace kml::live {

using local::HttpRequest;

namespace {

/// Returns the name. Throws Error if it would be read as a flag, or has a character that no name of
/// Kubernetes or kml has.
std::string checked_name(const std::string& name, const char* what) {
  constexpr size_t kLongest = 300;
  const auto is_of_name = [](unsigned char c) {
    return c > ' ' && c != 0x7f && c != '"' && c != '\'' && c != '<' && c != '>';
  };
  if (name.empty() || name.size() > kLongest || name[0] == '-' || !std::ranges::all_of(name, is_of_name))
    throw usage_error(std::string("this is not the name of a ") + what);
  return name;
}

std::string checked_cluster(const std::string& name, const std::vector<std::string>& clusters) {
  if (std::ranges::find(clusters, name) == clusters.end())
    throw usage_error("this page does not show that cluster");
  return name;
}

std::string checked_namespace(const std::string& name) {
  return name.empty() ? name : checked_name(name, "namespace");
}

struct Answerer {
  const char* path;
  std::vector<std::string> before, after;  ///< the words before and after the names
  bool prints_page = false, follows = false, takes_several = false;
};

const std::vector<Answerer>& answerers() {
  static const std::vector<Answerer> all = {
      {.path = "/data/why", .before = {"why"}, .after = {"-o", "json"}},
      {.path = "/data/attempts", .before = {"history"}, .after = {"-o", "json"}},
      {.path = "/data/timeline", .before = {"timeline"}, .after = {"--html", "-"}, .prints_page = true},
      {.path = "/data/log", .before = {"logs", "--follow", "--tail=2000"}, .after = {}, .follows = true},
      {.path = "/data/sweep", .before = {"sweep", "report"}, .after = {"-o", "-"}, .prints_page = true},
      {.path = "/data/runs",
       .before = {"runs", "report"},
       .after = {"-o", "-"},
       .prints_page = true,
       .takes_several = true}};
  return all;
}

/// Actions that run the kml command with the same name.
constexpr std::array kActions = {"cancel", "suspend", "resume", "rerun"};

}  // namespace

std::optional<Question> question_of(const HttpRequest& request, const std::vector<std::string>& clusters) {
  const auto& all = answerers();
  const auto found =
      std::ranges::find_if(all, [&](const Answerer& each) { return each.path == request.path; });
  if (found == all.end()) return {};
  Question question{.prints_page = found->prints_page, .follows = found->follows};
  question.command.cluster = checked_cluster(request.parameter("cluster"), clusters);
  question.command.namespace_name = checked_namespace(request.parameter("namespace"));
  std::vector<std::string>& words = question.command.words;
  words = found->before;
  const auto [begin, end] = request.all_query.equal_range("name");
  constexpr int kMostNames = 50;
  int count = 0;
  for (auto name = begin; name != end; ++name, ++count) words.push_back(checked_name(name->second, "row"));
  if (count == 0 || count > (found->takes_several ? kMostNames : 1))
    throw usage_error("wrong number of names");
  words.insert(words.end(), found->after.begin(), found->after.end());
  return question;
}

RowCommand action_of(const Json& asked, const std::vector<std::string>& clusters) {
  const std::string action = string_at(asked, {"action"});
  if (std::ranges::find(kActions, action) == kActions.end()) throw usage_error("unknown action");
  RowCommand command{.cluster = checked_cluster(string_at(asked, {"cluster"}), clusters),
                     .namespace_name = checked_namespace(string_at(asked, {"namespace"})),
                     .words = {action, checked_name(string_at(asked, {"name"}), "job")}};
  const std::string priority = string_at(asked, {"priority"});
  if (action == "rerun" && !priority.empty())
    command.words.push_back("--priority=" + checked_name(priority, "priority class"));
  return command;
}

std::string data_of_page(const std::string& page) {
  constexpr std::string_view kBegin = "<script id=\"data\" type=\"application/json\">", kEnd = "</script>";
  const size_t at = page.find(kBegin);
  if (at == std::string::npos) return {};
  const size_t begin = at + kBegin.size(), end = page.find(kEnd, begin);
  return end == std::string::npos ? std::string() : page.substr(begin, end - begin);
}

}  // namespace kml::live
