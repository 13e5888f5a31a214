#include "kml/job/render/evaluate.h"

#include <optional>

#include "job/render/placeholder.h"
#include "kml/base/text.h"

namespace kml::render {

namespace {

bool is_true(const Json& value) {
  if (value.is_null()) return false;
  if (value.is_boolean()) return value.get<bool>();
  if (value.is_number()) return value.get<double>() != 0;
  if (value.is_string()) return !value.get_ref<const std::string&>().empty();
  return !value.empty();
}

/// The maximum number of values in a result, because nested `$each` could produce any number.
constexpr size_t kMostValues = 1'000'000;

class Evaluator {
 public:
  Evaluator(Scope scope, Problems& problems) : scope_(std::move(scope)), problems_(problems) {}

  /// The node's value; empty if an `$if` leaves it out.
  std::optional<Json> node(const yaml::Node& node, const std::string& path) {
    if (++values_ > kMostValues) {
      if (values_ == kMostValues + 1) problems_.add(node.mark, path, "the filled-in body is too large");
      return {};
    }
    try {
      switch (node.kind) {
        case yaml::Kind::null: return Json(nullptr);
        case yaml::Kind::scalar: return scalar(node);
        case yaml::Kind::sequence: return sequence(node, path);
        case yaml::Kind::mapping: return mapping(node, path);
      }
    } catch (const Error& error) {
      problems_.add(error, node.mark, path);
    }
    return {};
  }

 private:
  Json scalar(const yaml::Node& node) {
    std::vector<Piece> pieces = split_placeholders(node.text);
    const bool is_text = node.tag == "tag:yaml.org,2002:str";
    if (pieces.size() == 1 && pieces[0].is_reference && !is_text) return value_of(pieces[0].text);
    if (node.text.find('$') == std::string::npos) return yaml::scalar_to_json(node, problems_.file());
    return text(pieces);
  }

  std::string text(const std::vector<Piece>& pieces) const {
    std::string text;
    for (const Piece& piece : pieces) {
      try {
        text += piece.is_reference ? embedded(value_of(piece.text)) : piece.text;
      } catch (const Error& error) {
        throw usage_error("${" + piece.text + "}: " + error.message);
      }
    }
    return text;
  }

  const Json& value_of(const std::string& reference) const {
    const std::vector<std::string> parts = split(reference, '.');
    auto found = scope_.find(parts[0]);
    if (found == scope_.end()) throw usage_error("no parameter \"" + parts[0] + "\"");
    const Json* value = &found->second;
    for (size_t i = 1; i < parts.size(); ++i) {
      auto member = value->is_object() ? value->find(parts[i]) : value->end();
      if (member == value->end()) throw usage_error("${" + reference + "}: no \"" + parts[i] + "\"");
      value = &*member;
    }
    return *value;
  }

  Json sequence(const yaml::Node& node, const std::string& path) {
    Json list = Json::array();
    for (size_t i = 0; i < node.items.size(); ++i) {
      const yaml::Node& item = node.items[i];
      const std::string at = path + "[" + std::to_string(i) + "]";
      const yaml::Node* splice = item.entries.size() == 1 ? item.find("$splice") : nullptr;
      std::optional<Json> value = this->node(splice ? *splice : item, at);
      if (!value) continue;
      if (!splice || value->is_object()) {
        list.push_back(std::move(*value));
      } else if (value->is_array()) {
        list.insert(list.end(), value->begin(), value->end());
      } else if (!value->is_null()) {
        problems_.add(splice->mark, at, "$splice expects a list or a map");
      }
    }
    return list;
  }

  std::optional<Json> mapping(const yaml::Node& node, const std::string& path) {
    if (const yaml::Node* condition = node.find("$if")) {
      auto value = this->node(*condition, path);
      const yaml::Node* chosen = node.find(value && is_true(*value) ? "$then" : "$else");
      if (!chosen) return {};
      return this->node(*chosen, path);
    }
    if (const yaml::Node* over = node.find("$each")) return each(node, *over, path);

    Json object = Json::object();
    const auto put = [&](const std::string& key, Json value, yaml::Mark mark) {
      if (!object.emplace(key, std::move(value)).second)
        problems_.add(mark, path, "key \"" + key + "\" appears twice");
    };
    for (const yaml::Node::Entry& entry : node.entries) {
      const bool is_splice = entry.key.text == "$splice";
      const std::string key = is_splice ? "$splice" : key_of(entry.key);
      auto value = this->node(entry.value, below(path, key));
      if (!value) continue;
      if (!is_splice) {
        put(key, std::move(*value), entry.key.mark);
      } else if (value->is_object()) {
        for (auto& [name, member] : value->items()) put(name, member, entry.key.mark);
      } else if (!value->is_null()) {
        problems_.add(entry.value.mark, path, "$splice expects a map here");
      }
    }
    return object;
  }

  static std::string below(std::string path, const std::string& key) {
    if (!path.empty()) path += '.';
    return path += key;
  }

  std::string key_of(const yaml::Node& key) const {
    if (key.text.find('$') != std::string::npos) return text(split_placeholders(key.text));
    return yaml::key_text(key, problems_.file());
  }

  Json each(const yaml::Node& node, const yaml::Node& over, const std::string& path) {
    auto items = this->node(over, path);
    if (items && items->is_object()) {
      Json pairs = Json::array();
      for (auto& [key, value] : items->items()) pairs.push_back({{"key", key}, {"value", value}});
      items = std::move(pairs);
    }
    Json list = Json::array();
    if (!items || items->is_null()) return list;
    if (!items->is_array()) {
      problems_.add(over.mark, path, "$each expects a list or a map");
      return list;
    }
    const yaml::Node* as = node.find("$as");
    const std::string name = as ? as->text : "item";
    auto outer = scope_.extract(name);
    for (const Json& item : *items) {
      scope_[name] = item;
      if (auto value = this->node(*node.find("$do"), path)) list.push_back(std::move(*value));
    }
    scope_.erase(name);
    if (outer) scope_.insert(std::move(outer));
    return list;
  }

  Scope scope_;
  Problems& problems_;
  size_t values_ = 0;
};

}  // namespace

Json evaluate(const yaml::Node& body, const Scope& scope, Problems& problems) {
  return Evaluator(scope, problems).node(body, "").value_or(Json(nullptr));
}

}  // namespace kml::render
