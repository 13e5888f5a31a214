#include "job/render/check_body.h"

#include <algorithm>
#include <array>
#include <cctype>

#include "job/render/placeholder.h"
#include "kml/base/text.h"

namespace kml::render {

namespace {

const std::vector<std::string> kForms = {"$if", "$then", "$else", "$each", "$as", "$do", "$splice"};

std::string first_name(const std::string& reference) {
  return reference.substr(0, reference.find('.'));
}

class Checker {
 public:
  Checker(std::vector<std::string> names, Problems& problems)
      : names_(std::move(names)), problems_(problems) {}

  void node(const yaml::Node& node, const std::string& path) {
    if (node.kind == yaml::Kind::scalar) scalar(node, path);
    for (size_t i = 0; i < node.items.size(); ++i)
      this->node(node.items[i], path + "[" + std::to_string(i) + "]");
    if (node.kind == yaml::Kind::mapping) mapping(node, path);
  }

 private:
  void scalar(const yaml::Node& scalar, const std::string& path) {
    try {
      for (const Piece& piece : split_placeholders(scalar.text))
        if (piece.is_reference) reference(piece.text, scalar.mark, path);
    } catch (const Error& error) {
      problems_.add(scalar.mark, path, error.message);
    }
  }

  void reference(const std::string& name, yaml::Mark mark, const std::string& path) {
    if (std::find(names_.begin(), names_.end(), first_name(name)) != names_.end()) return;
    const std::string guess = did_you_mean(first_name(name), names_);
    // The names of environment variables are nearly always in capitals, and those of parameters rarely are.
    const bool is_variable = guess.empty() && std::none_of(name.begin(), name.end(),
                                                           [](unsigned char c) { return std::islower(c); });
    problems_.add(mark, path,
                  "no parameter \"" + name + "\"; " +
                      (is_variable     ? "for the shell's variable, write $" + name + " or $${" + name + "}"
                       : guess.empty() ? "known parameters: " + join(names_, ", ")
                                       : guess));
  }

  void mapping(const yaml::Node& node, const std::string& path) {
    const bool is_if = node.find("$if"), is_each = node.find("$each");
    if (is_if) form(node, path, "$if", {"$if", "$then", "$else"}, "$then");
    if (is_each) form(node, path, "$each", {"$each", "$as", "$do"}, "$do");
    for (const yaml::Node::Entry& entry : node.entries) {
      if (is_form_key(entry.key.text)) {
        if (!is_if && !is_each) stray(entry.key, path);
      } else {
        scalar(entry.key, path);
      }
    }
    if (is_each) return each(node, path);
    for (const yaml::Node::Entry& entry : node.entries) this->node(entry.value, below(path, entry.key.text));
  }

  /// If the mapping is a node form, checks that it only has keys of that form.
  void form(const yaml::Node& node, const std::string& path, const std::string& name,
            const std::vector<std::string>& allowed, const std::string& needed) {
    for (const yaml::Node::Entry& entry : node.entries)
      if (std::find(allowed.begin(), allowed.end(), entry.key.text) == allowed.end())
        problems_.add(entry.key.mark, path,
                      "\"" + entry.key.text + "\" cannot be used together with " + name);
    if (!node.find(needed)) problems_.add(node.mark, path, name + " needs " + needed);
  }

  /// Reports a key that starts with "$" in a mapping that is not a node form. Only `$splice` is allowed
  /// there.
  void stray(const yaml::Node& key, const std::string& path) {
    if (key.text == "$splice") return;
    const bool is_known = std::find(kForms.begin(), kForms.end(), key.text) != kForms.end();
    const std::string guess = is_known ? "" : did_you_mean(key.text, kForms);
    problems_.add(key.mark, path,
                  is_known
                      ? key.text + " must be used together with $if or $each"
                      : "unknown directive " + key.text + "; " +
                            (guess.empty() ? "write $" + key.text + " for a key with this name" : guess));
  }

  void each(const yaml::Node& node, const std::string& path) {
    this->node(*node.find("$each"), below(path, "$each"));
    const yaml::Node* as = node.find("$as");
    names_.push_back(as ? as->text : "item");
    if (const yaml::Node* body = node.find("$do")) this->node(*body, below(path, "$do"));
    names_.pop_back();
  }

  static std::string below(std::string path, const std::string& key) {
    if (!path.empty()) path += '.';
    return path += key;
  }

  std::vector<std::string> names_;
  Problems& problems_;
};

}  // namespace

void check_body(const yaml::Node& body, std::vector<std::string> names, Problems& problems,
                const std::string& path) {
  Checker(std::move(names), problems).node(body, path);
}

void each_placeholder(const yaml::Node& body,
                      const std::function<void(const std::string& name, const yaml::Node& scalar)>& take) {
  if (body.kind == yaml::Kind::scalar)
    for (const Piece& piece : split_placeholders(body.text))
      if (piece.is_reference) take(piece.text, body);
  for (const yaml::Node& item : body.items) each_placeholder(item, take);
  for (const yaml::Node::Entry& entry : body.entries) {
    each_placeholder(entry.key, take);
    each_placeholder(entry.value, take);
  }
}

bool refers_to(const yaml::Node& body, const std::string& name) {
  bool found = false;
  each_placeholder(body, [&](const std::string& reference, const yaml::Node&) {
    found = found || first_name(reference) == name;
  });
  return found;
}

}  // namespace kml::render
