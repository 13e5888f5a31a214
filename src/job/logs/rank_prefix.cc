#include "job/logs/rank_prefix.h"

#include <charconv>
#include <string>

#include "kml/base/text.h"
#include "kml/job/views/kinds.h"
#include "kml/kube/objects/container.h"
#include "kml/kube/objects/object.h"
#include "kml/kube/objects/pod.h"

namespace kml::job {

namespace {

bool is_role_letter(char c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_' || c == '-';
}

/// The positive number that the text consists of, otherwise 0.
int number(std::string_view text) {
  return whole_number(text).value_or(0);
}

/// Parses a single mark at the start of the line.
std::optional<RankPrefix> first_mark(std::string_view line) {
  if (line.size() < 4 || line[0] != '[') return {};
  size_t at = 1;
  while (at < line.size() && is_role_letter(line[at])) ++at;
  const std::string_view role = line.substr(1, at - 1);
  const bool by_mpi = line.substr(1, 2) == "1,";
  if (by_mpi) at = 3;
  if (role.empty() && !by_mpi) return {};
  RankPrefix prefix{.is_local = !by_mpi && role != "rank"};
  const auto [end, failure] = std::from_chars(line.data() + at, line.data() + line.size(), prefix.number);
  if (failure != std::errc() || !is_digit(line[at])) return {};
  std::string_view rest = line.substr(static_cast<size_t>(end - line.data()));
  const size_t left = rest.size();
  for (std::string_view close : {"]:", "]<stdout>:", "]<stderr>:"})
    if (left == rest.size() && rest.starts_with(close)) rest.remove_prefix(close.size());
  if (left == rest.size()) return {};
  if (rest.starts_with(' ')) rest.remove_prefix(1);
  prefix.length = line.size() - rest.size();
  return prefix;
}

int from_words(const Json& words) {
  int found = 0;
  bool is_next = false;
  for (const Json& word : words) {
    if (!word.is_string()) continue;
    const std::string_view text = word.get_ref<const std::string&>();
    if (is_next) found = number(text);
    is_next = text == "--nproc_per_node" || text == "--nproc-per-node";
    for (std::string_view flag : {"--nproc_per_node=", "--nproc-per-node="})
      if (text.starts_with(flag)) found = number(text.substr(flag.size()));
  }
  return found;
}

int from_container(const Json& container) {
  for (const Json& variable : api::variables_of(container))
    if (api::entry_name(variable) == "PET_NPROC_PER_NODE")
      if (const int value = number(api::value_of(variable))) return value;
  Json words = api::command_of(container);
  for (const Json& word : api::arguments_of(container)) words.push_back(word);
  return from_words(words);
}

}  // namespace

std::optional<RankPrefix> rank_prefix(std::string_view line) {
  std::optional<RankPrefix> outer = first_mark(line);
  if (!outer || !outer->is_local) return outer;
  std::optional<RankPrefix> inner = first_mark(line.substr(outer->length));
  if (!inner || inner->is_local) return outer;
  inner->length += outer->length;
  return inner;
}

int ranks_per_pod(const Json& job) {
  if (const int value = number(string_at(job, {"spec", "nprocPerNode"}))) return value;
  if (const auto value = int_at(job, {"spec", "trainer", "numProcPerNode"}); value > 0)
    return static_cast<int>(value);
  int found = 0;
  each_pod_template(job, [&found](const Json& pod, int) {
    for (const Json& container : api::containers_of(pod))
      if (found == 0) found = from_container(container);
  });
  return found == 0 ? 1 : found;
}

}  // namespace kml::job
