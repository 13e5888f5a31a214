#include "pipeline/kfp/declared_texts.h"

#include <string>
#include <string_view>

#include "kml/base/json.h"

namespace kml::pipeline::kfp {

namespace {

using yaml::Kind;
using yaml::Node;

Node* member(Node* node, std::string_view key) {
  if (node)
    for (Node::Entry& entry : node->entries)
      if (entry.key.text == key) return &entry.value;
  return nullptr;
}

Node* at(Node* node, std::initializer_list<std::string_view> keys) {
  for (const std::string_view key : keys) node = member(node, key);
  return node;
}

std::string text_at(Node* node, std::initializer_list<std::string_view> keys) {
  const Node* found = at(node, keys);
  return found ? found->text : "";
}

void keep_text(Node* node) {
  if (node && node->kind == Kind::scalar && node->tag.empty() && node->text != "null" && node->text != "~")
    node->quoted = true;
}

void keep_texts(Node* list) {
  if (list)
    for (Node& item : list->items) keep_text(&item);
}

void keep_by_type(Node* value, std::string_view type) {
  if (!value) return;
  const bool is_json_number = type.starts_with("NUMBER_") && Json::accept(value->text);
  if (type == "STRING" || is_json_number) keep_text(value);
}

class DeclaredTexts {
 public:
  /// `spec` is a PipelineSpec node.
  explicit DeclaredTexts(Node* spec) : spec_(spec) {}

  void keep() {
    component(member(spec_, "root"));
    if (Node* components = member(spec_, "components"))
      for (Node::Entry& entry : components->entries) component(&entry.value);
    if (Node* executors = at(spec_, {"deploymentSpec", "executors"}))
      for (Node::Entry& entry : executors->entries) container(member(&entry.value, "container"));
  }

 private:
  void component(Node* component) {
    if (Node* parameters = at(component, {"inputDefinitions", "parameters"}))
      for (Node::Entry& entry : parameters->entries) {
        const std::string type = text_at(&entry.value, {"parameterType"});
        keep_by_type(member(&entry.value, "defaultValue"), type);
        if (Node* literals = member(&entry.value, "literals"))
          for (Node& literal : literals->items) keep_by_type(&literal, type);
      }
    if (Node* tasks = at(component, {"dag", "tasks"}))
      for (Node::Entry& entry : tasks->entries) task(&entry.value);
  }

  void task(Node* task) {
    Node* parameters = at(task, {"inputs", "parameters"});
    if (!parameters) return;
    const std::string component = text_at(task, {"componentRef", "name"});
    for (Node::Entry& entry : parameters->entries)
      keep_by_type(at(&entry.value, {"runtimeValue", "constant"}),
                   text_at(spec_, {"components", component, "inputDefinitions", "parameters", entry.key.text,
                                   "parameterType"}));
  }

  static void container(Node* container) {
    keep_texts(member(container, "command"));
    keep_texts(member(container, "args"));
    if (Node* variables = member(container, "env"))
      for (Node& variable : variables->items) keep_text(member(&variable, "value"));
  }

  Node* spec_;
};

}  // namespace

void keep_declared_texts(Node& document) {
  Node* spec = member(&document, "pipelineSpec");
  if (!spec) return DeclaredTexts(&document).keep();
  DeclaredTexts(spec).keep();
  Node* values = at(&document, {"runtimeConfig", "parameterValues"});
  if (!values) return;
  for (Node::Entry& entry : values->entries)
    keep_by_type(&entry.value,
                 text_at(spec, {"root", "inputDefinitions", "parameters", entry.key.text, "parameterType"}));
}

}  // namespace kml::pipeline::kfp
