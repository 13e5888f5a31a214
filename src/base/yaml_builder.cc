#include "base/yaml_builder.h"

#include <yaml-cpp/mark.h>

#include <unordered_map>

#include "base/yaml_scalar.h"

namespace kml::yaml {

namespace {

Mark mark_of(const YAML::Mark& mark) {
  return {mark.line + 1, mark.column + 1};
}

std::string text_of(Mark mark) {
  return std::to_string(mark.line) + ":" + std::to_string(mark.column);
}

bool is_merge(const Node& key) {
  return key.kind == Kind::scalar && !key.quoted && key.text == "<<";
}

}  // namespace

Error problem_at(std::string_view source, Mark mark, std::string text) {
  Error error = usage_error("cannot read " + std::string(source));
  error.problems.push_back({std::string(source), mark.line, mark.column, {}, std::move(text)});
  return error;
}

Error key_given_twice(std::string_view source, const std::string& key, Mark mark, Mark first) {
  return problem_at(source, mark, "key \"" + key + "\" is already at " + text_of(first));
}

void Builder::OnDocumentStart(const YAML::Mark&) {
  anchors_.clear();
}

Node Builder::make(Kind kind, const YAML::Mark& mark, const std::string& tag) {
  Node node;
  node.kind = kind;
  node.mark = mark_of(mark);
  if (tag != "?" && tag != "!") node.tag = tag;
  guard_.take_value();
  if (++nodes_ > limits_.nodes)
    throw problem_at(source_, node.mark,
                     "the file has more than " + std::to_string(limits_.nodes) + " values");
  return node;
}

void Builder::OnNull(const YAML::Mark& mark, YAML::anchor_t anchor) {
  add(make(Kind::null, mark, {}), anchor);
}

void Builder::OnScalar(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                       const std::string& value) {
  Node node = make(Kind::scalar, mark, tag);
  node.text = words_ ? words_->restored(value) : value;
  node.quoted = tag == "!";
  add(std::move(node), anchor);
}

void Builder::OnAlias(const YAML::Mark& mark, YAML::anchor_t anchor) {
  auto found = anchors_.find(anchor);
  if (found == anchors_.end())
    throw problem_at(source_, mark_of(mark), "the alias refers to a value that contains it");
  add(copy(found->second, mark_of(mark)), 0);
}

void Builder::OnSequenceStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                              YAML::EmitterStyle::value) {
  open(make(Kind::sequence, mark, tag), anchor);
}

void Builder::OnMapStart(const YAML::Mark& mark, const std::string& tag, YAML::anchor_t anchor,
                         YAML::EmitterStyle::value) {
  open(make(Kind::mapping, mark, tag), anchor);
}

void Builder::open(Node node, YAML::anchor_t anchor) {
  if (static_cast<int>(open_.size()) >= limits_.depth)
    throw problem_at(source_, node.mark,
                     "this is nested deeper than " + std::to_string(limits_.depth) + " levels");
  open_.push_back({std::move(node), anchor, {}, false});
}

void Builder::OnMapEnd() {
  Node& node = open_.back().node;
  node.entries = merged(std::move(node.entries));
  close();
}

void Builder::close() {
  Open done = std::move(open_.back());
  open_.pop_back();
  add(std::move(done.node), done.anchor);
}

void Builder::add(Node node, YAML::anchor_t anchor) {
  if (anchor != 0) anchors_.insert_or_assign(anchor, copy(node, node.mark));
  if (open_.empty()) {
    documents_.push_back(std::move(node));
    return;
  }
  Open& parent = open_.back();
  if (parent.node.kind == Kind::sequence) {
    parent.node.items.push_back(std::move(node));
  } else if (parent.has_key) {
    parent.node.entries.push_back({std::move(parent.key), std::move(node)});
    parent.has_key = false;
  } else {
    if (node.kind != Kind::scalar)
      throw problem_at(source_, node.mark,
                       "a key must be a scalar, but this is " + std::string(node.kind_name()));
    parent.key = std::move(node);
    parent.has_key = true;
  }
}

Node Builder::copy(const Node& node, Mark at) {
  copied_bytes_ += node.text.size();
  if (++copied_nodes_ > limits_.alias_nodes || copied_bytes_ > limits_.bytes)
    throw problem_at(source_, at,
                     "aliases expand to more than " + std::to_string(limits_.alias_nodes) + " values or " +
                         std::to_string(limits_.bytes) + " bytes");
  Node twin;
  twin.kind = node.kind;
  twin.mark = node.mark;
  twin.text = node.text;
  twin.tag = node.tag;
  twin.quoted = node.quoted;
  for (const Node& item : node.items) twin.items.push_back(copy(item, at));
  for (const Node::Entry& entry : node.entries)
    twin.entries.push_back({copy(entry.key, at), copy(entry.value, at)});
  return twin;
}

/// Rejects duplicate keys, and applies `<<` as go-yaml v2 does: entries are merged in order, and later ones
/// win. Within a list of mappings, earlier ones win.
std::vector<Node::Entry> Builder::merged(std::vector<Node::Entry> entries) {
  struct Place {
    size_t index;
    bool is_own;
  };
  std::vector<Node::Entry> result;
  std::unordered_map<std::string, Place> places;
  const auto put = [&](Node::Entry entry, bool is_own) {
    // the key's meaning depends on the reader: `on` and "true" may be the same or different
    const std::string& key = entry.key.text;
    auto [found, is_new] = places.try_emplace(key, Place{result.size(), is_own});
    if (is_new) return result.push_back(std::move(entry));
    Place& place = found->second;
    if (is_own && place.is_own)
      throw key_given_twice(source_, key, entry.key.mark, result[place.index].key.mark);
    place.is_own = place.is_own || is_own;
    result[place.index] = std::move(entry);
  };
  const auto merge = [&](Node& from) {
    if (from.kind != Kind::mapping)
      throw problem_at(source_, from.mark, "<< must be followed by a mapping or a list of mappings");
    for (Node::Entry& entry : from.entries) put(std::move(entry), false);
  };

  for (Node::Entry& entry : entries) {
    if (!is_merge(entry.key)) {
      put(std::move(entry), true);
    } else if (entry.value.kind == Kind::sequence) {
      for (size_t i = entry.value.items.size(); i-- > 0;) merge(entry.value.items[i]);
    } else {
      merge(entry.value);
    }
  }
  return result;
}

}  // namespace kml::yaml
