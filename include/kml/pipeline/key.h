#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "kml/core/json.h"
#include "kml/pipeline/pipeline.h"

namespace kml::pipeline {

/// What decides the result of a step, each part under a name that its user knows: "command", "env LR",
/// "param trees", "input train", "program python". The parts "code" and "packages" are digests of lists, as
/// LocalStore::keep_list() keeps them. Not among them: names, resources, nodes, retries.
using KeyParts = std::map<std::string, std::string>;

/// Those that the file and the inputs decide. `params` are all parameters by name; `inputs` has for each
/// input
/// {"digest": SHA} or {"value": ANY}, or a list of these;
/// one that is missing there is no part.
KeyParts parts_of(const Step& step, const Json& params, const Json& inputs);

/// SHA-256 of the parts as canonical JSON.
std::string key_of(const KeyParts& parts);

/// What differs between the parts of two keys: "train.py changed", "env LR added", "param trees: 100 -> 200".
/// `list_of` gives the text behind the digest of a list, where it is still there.
std::vector<std::string> changes(
    const KeyParts& before, const KeyParts& now,
    const std::function<std::optional<std::string>(const std::string& digest)>& list_of);

}  // namespace kml::pipeline
