#include <array>

#include "kml/base/suggestion.h"
#include "kml/base/text.h"
#include "kml/base/yaml.h"
#include "kml/job/kinds/job_kind.h"
#include "kml/kube/objects/names.h"

namespace kml::job {

namespace {

constexpr std::array kKindKeys = {
    "apiVersion",  "kind",         "plural",   "name",   "word",    "operator",  "podLabel",
    "indexLabels", "podTemplates", "podSpecs", "states", "started", "finished",  "message",
    "suspend",     "resume",       "cancel",   "queue",  "retries", "timeLimit", "ttl"};

constexpr std::array kTopFields = {"apiVersion", "kind", "metadata", "spec", "status", "data"};

/// Why the name cannot be a path in an object; empty if it can. An object can have other fields than the
/// usual ones, but none that differs from those by its case alone.
std::string name_fault(const std::string& name) {
  const std::string first = name.substr(0, name.find('.'));
  if (std::find(kTopFields.begin(), kTopFields.end(), first) != kTopFields.end()) return {};
  if (first == name)
    return "\"" + name + "\" is not a path in the object; if it is a text, quote it: \"" + name + "\"";
  for (const std::string part : {"metadata", "spec", "status", "conditions"})
    if (first != part && lower(first) == part)
      return "\"" + name + "\": write " + part + name.substr(first.size());
  return {};
}

/// Why the expression can never hold as it was meant; empty if nothing is wrong.
std::string expression_fault(const Expression& expression) {
  for (const std::string& name : expression.names())
    if (std::string fault = name_fault(name); !fault.empty()) return fault;
  for (const auto& [name, value] : expression.compared())
    if (name.starts_with("conditions.") && !value.is_null() && value != "True" && value != "False" &&
        value != "Unknown")
      return "the status of a condition is \"True\", \"False\" or \"Unknown\"; write " + name +
             " == \"True\"";
  return {};
}

/// Reads the keys of a description, and reports faults with their positions in the text.
class KindReader {
 public:
  KindReader(const yaml::Node& root, std::string source) : root_(root), source_(std::move(source)) {}

  JobKind read() const {
    require_map(root_, "a description");
    only(root_, kKindKeys);
    JobKind kind;
    const std::string version = required("apiVersion");
    const size_t slash = version.find('/');
    kind.group = slash == std::string::npos ? "" : version.substr(0, slash);
    kind.version = slash == std::string::npos ? version : version.substr(slash + 1);
    kind.kind = required("kind");
    kind.plural = text_of("plural", lower(kind.kind) + "s");
    kind.name = text_of("name", kind.kind);
    kind.word = text_of("word", lower(kind.name));
    check("apiVersion", kind.group.empty() ? "" : api::dns_subdomain_problem(kind.group));
    check("apiVersion", api::dns_label_problem(kind.version));
    check("kind", api::dns_label_problem(lower(kind.kind)));
    check("plural", api::dns_label_problem(kind.plural));
    check("word", api::dns_label_problem(kind.word));
    kind.operator_name = text_of("operator", "its operator");
    read_pods(kind);
    read_states(kind);
    kind.started = path_of("started");
    kind.finished = path_of("finished");
    kind.message = path_of("message");
    kind.queue = field_of("queue");
    kind.retries = field_of("retries");
    kind.time_limit = field_of("timeLimit");
    kind.ttl = field_of("ttl");
    kind.suspend = action_of("suspend");
    kind.resume = action_of("resume");
    kind.cancel = action_of("cancel");
    return kind;
  }

 private:
  [[noreturn]] void fail(const yaml::Node& at, std::string text, std::string fix = {}) const {
    Error error = usage_error("the kind " + source_ + " is not valid", "", std::move(fix));
    error.problems = {{source_, at.mark.line, at.mark.column, "", std::move(text)}};
    throw error;
  }

  void require_map(const yaml::Node& node, const std::string& what) const {
    if (node.kind != yaml::Kind::mapping)
      fail(node, what + " must be a mapping, but is " + std::string(node.kind_name()));
  }

  template <typename Keys>
  void only(const yaml::Node& node, const Keys& known) const {
    const std::vector<std::string> names(known.begin(), known.end());
    for (const yaml::Node::Entry& entry : node.entries)
      if (std::find(names.begin(), names.end(), entry.key.text) == names.end())
        fail(entry.key, "unknown key \"" + entry.key.text + "\"",
             suggestion(entry.key.text, names, "the keys are " + join(names, ", ")));
  }

  std::string scalar(const yaml::Node& node, const std::string& key) const {
    if (node.kind != yaml::Kind::scalar || trim(node.text).empty()) fail(node, key + " must be a text");
    return node.text;
  }

  std::string text_of(std::string_view key, std::string fallback) const {
    const yaml::Node* node = root_.find(key);
    return node ? scalar(*node, std::string(key)) : std::move(fallback);
  }

  std::string required(std::string_view key) const {
    if (!root_.find(key)) fail(root_, std::string(key) + " is missing");
    return text_of(key, "");
  }

  /// Reports the problem of the value of this key, or else of the kind, from which kml derives the value.
  void check(std::string_view key, const std::string& problem) const {
    const yaml::Node* node = root_.find(key) ? root_.find(key) : root_.find("kind");
    if (!problem.empty()) fail(*node, std::string(key) + ": " + problem);
  }

  std::string label_key(const yaml::Node& node, const std::string& what) const {
    std::string key = scalar(node, what);
    if (const std::string problem = api::label_key_problem(key); !problem.empty())
      fail(node, what + ": " + problem);
    return key;
  }

  ObjectPath path_in(const yaml::Node& node, const std::string& key) const {
    return path_of_text(node, scalar(node, key));
  }

  ObjectPath path_of_text(const yaml::Node& node, const std::string& text) const try {
    return ObjectPath(text);
  } catch (const Error& error) {
    if (!error.problems.empty()) throw;
    fail(node, error.message, error.fix);
  }

  ObjectPath path_of(std::string_view key) const {
    const yaml::Node* node = root_.find(key);
    return node ? path_in(*node, std::string(key)) : ObjectPath();
  }

  /// A path without `[*]`. Its last step may be a label: metadata.labels["example.com/queue"].
  std::string field_of(std::string_view key) const {
    const yaml::Node* node = root_.find(key);
    if (!node) return {};
    std::string text = scalar(*node, std::string(key));
    const size_t label = text.ends_with("\"]") ? text.find("[\"") : std::string::npos;
    if (contains(path_of_text(*node, text.substr(0, label)).text(), "[*]"))
      fail(*node, std::string(key) + " must be the path of one field");
    return text;
  }

  void read_pods(JobKind& kind) const {
    const yaml::Node* label = root_.find("podLabel");
    if (!label)
      fail(root_, "podLabel is missing", "podLabel: {key: LABEL}, the label that all pods of the job have");
    require_map(*label, "podLabel");
    only(*label, std::array{"key", "value"});
    const yaml::Node* key = label->find("key");
    if (!key) fail(*label, "podLabel has no key");
    kind.pod_label = label_key(*key, "podLabel.key");
    const yaml::Node* value = label->find("value");
    kind.pod_label_value = value ? path_in(*value, "podLabel.value") : ObjectPath("metadata.name");
    if (const yaml::Node* labels = root_.find("indexLabels")) {
      if (labels->kind != yaml::Kind::sequence) fail(*labels, "indexLabels must be a list");
      for (const yaml::Node& item : labels->items)
        kind.index_labels.push_back(label_key(item, "an item of indexLabels"));
    }
    read_templates("podTemplates", false, kind);
    read_templates("podSpecs", true, kind);
  }

  void read_templates(const std::string& key, bool are_specs, JobKind& kind) const {
    const yaml::Node* templates = root_.find(key);
    if (!templates) return;
    if (templates->kind != yaml::Kind::sequence) fail(*templates, key + " must be a list");
    for (const yaml::Node& item : templates->items) {
      require_map(item, "an item of " + key);
      only(item, std::array{"path", "count"});
      const yaml::Node* path = item.find("path");
      if (!path) fail(item, "an item of " + key + " has no path");
      kind.templates.push_back({path_in(*path, "path"), counts_of(item), are_specs});
    }
  }

  std::vector<std::string> counts_of(const yaml::Node& item) const {
    const yaml::Node* count = item.find("count");
    if (!count) return {};
    if (count->kind != yaml::Kind::sequence) return {scalar(*count, "count")};
    std::vector<std::string> counts;
    for (const yaml::Node& factor : count->items) counts.push_back(scalar(factor, "an item of count"));
    return counts;
  }

  void read_states(JobKind& kind) const {
    const yaml::Node* rules = root_.find("states");
    if (!rules) return;
    require_map(*rules, "states");
    for (const yaml::Node::Entry& entry : rules->entries) {
      const auto states = all_states();
      const auto state = std::find_if(states.begin(), states.end(),
                                      [&](State one) { return in_words(one) == entry.key.text; });
      if (state == states.end() || *state == State::unknown || *state == State::cancelling)
        fail(entry.key, "\"" + entry.key.text + "\" is not a state",
             "the states are waiting, running, suspended, succeeded, failed and cancelled");
      try {
        kind.states.push_back({*state, Expression(scalar(entry.value, entry.key.text))});
        if (const std::string fault = expression_fault(kind.states.back().holds); !fault.empty())
          fail(entry.value, fault);
      } catch (const Error& error) {
        if (!error.problems.empty()) throw;
        fail(entry.value, error.message + (error.why.empty() ? "" : ": " + error.why), error.fix);
      }
    }
  }

  Json action_of(std::string_view key) const {
    const yaml::Node* node = root_.find(key);
    if (!node) return {};
    require_map(*node, std::string(key));
    if (const yaml::Node* field = node->find("restore");
        field && key == "resume" && node->entries.size() == 1) {
      const std::string path = scalar(*field, "restore");
      if (contains(path_of_text(*field, path).text(), "[*]"))
        fail(*field, "restore must be the path of one field");
      return {{"restore", path}};
    }
    if (node->entries.size() != 1 || (!node->find("patch") && !node->find("create")))
      fail(*node, std::string(key) + " must be either patch or create",
           "patch: a merge patch of the job; create: an object that tells the job's controller what to do");
    require_map(node->entries[0].value, node->entries[0].key.text);
    return yaml::to_json(*node, source_);
  }

  const yaml::Node& root_;
  std::string source_;
};

}  // namespace

JobKind parse_kind(std::string_view text, const std::string& source) {
  constexpr yaml::Limits kLimits{
      .bytes = size_t{64} << 10, .nodes = 10'000, .alias_nodes = 1'000, .depth = 30};
  const yaml::Node root = yaml::parse_one(text, source, kLimits);
  JobKind kind = KindReader(root, source).read();
  kind.text = text;
  return kind;
}

}  // namespace kml::job
