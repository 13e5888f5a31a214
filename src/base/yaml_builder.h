#pragma once

#include <yaml-cpp/eventhandler.h>

#include <map>
#include <string>
#include <vector>

#include "base/parse_guard.h"
#include "base/yaml_long_words.h"
#include "kml/base/yaml.h"

namespace kml::yaml {

/// An Error with a single problem.
Error problem_at(std::string_view source, Mark mark, std::string text);

Error key_given_twice(std::string_view source, const std::string& key, Mark mark, Mark first);

/// Builds kml's tree from yaml-cpp's events and enforces the limits.
class Builder : public YAML::EventHandler {
 public:
  Builder(std::string_view source, const Limits& limits)
      : source_(source), limits_(limits), guard_(source, sizeof(Node::Entry)) {}

  /// Puts words back into the scalars that follow. `words` must outlive the builder.
  void restore(const LongWords& words) { words_ = &words; }
  std::vector<Node> take_documents() { return std::move(documents_); }

  void OnDocumentStart(const YAML::Mark& mark) override;
  void OnDocumentEnd() override {}
  void OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) override;
  void OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                const std::string& value) override;
  void OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       YAML::EmitterStyle::value style) override;
  void OnSequenceEnd() override { close(); }
  void OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                  YAML::EmitterStyle::value style) override;
  void OnMapEnd() override;

 private:
  /// A list or mapping that is being read. In a mapping, also the key whose value comes next.
  struct Open {
    Node node;
    YAML::anchor_t anchor;
    Node key;
    bool has_key = false;
  };

  Node make(Kind kind, const YAML::Mark& mark, const std::string& tag);
  void open(Node node, YAML::anchor_t anchor);
  void close();
  void add(Node node, YAML::anchor_t anchor);
  Node copy(const Node& node, Mark at);
  std::vector<Node::Entry> merged(std::vector<Node::Entry> entries);

  std::string_view source_;
  Limits limits_;
  const LongWords* words_ = nullptr;
  ParseGuard guard_;
  std::vector<Open> open_;
  std::map<YAML::anchor_t, Node> anchors_;
  std::vector<Node> documents_;
  size_t nodes_ = 0;
  size_t copied_nodes_ = 0;
  size_t copied_bytes_ = 0;
};

}  // namespace kml::yaml
