#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <set>
#include <string>

#include "kml/core/clock.h"
#include "kml/core/json.h"
#include "kml/pipeline/key.h"
#include "kml/pipeline/key_claim.h"
#include "kml/pipeline/pipeline.h"
#include "kml/pipeline/shared_store.h"
#include "kml/pipeline/store.h"

namespace kml::pipeline {

/// What a run was asked to make anew, whatever is there.
struct Renewal {
  bool all = false;             ///< --no-cache
  std::set<std::string> steps;  ///< --refresh
};

/// Whether a step has to run, and why.
struct Verdict {
  std::string key;
  KeyParts parts;
  std::optional<Json> result;  ///< an earlier one that stands: {"outputs": ..., "run": NAME}
  std::string cause;           ///< why it has to run: "train.py changed"; empty with a result
};

/// Finds the earlier result of a step by what decides it.
class Cache {
 public:
  /// What decides a step's result beside its file and inputs: its code, its program.
  using Surroundings = std::function<KeyParts(const Step& step)>;

  /// Whether what an output of a result describes (see StepRunner::made_by) is still there.
  using IsThere = std::function<bool(const Json& made)>;

  /// All must outlive it. `shared` may be nullptr.
  Cache(const Pipeline& pipeline, const LocalStore& store, const Clock& clock, Surroundings surroundings,
        IsThere is_there, SharedStore* shared = nullptr)
      : pipeline_(pipeline),
        store_(store),
        clock_(clock),
        surroundings_(std::move(surroundings)),
        is_there_(std::move(is_there)),
        shared_(shared) {}

  /// `params` and `inputs` as parts_of() has them.
  Verdict look(const Step& step, const Json& params, const Json& inputs, const Renewal& renewal) const;

  /// The same again for that key, whose result another engine may have kept since.
  Verdict look_again(const Step& step, Verdict verdict, const Renewal& renewal) const;

  /// Why the step has to run, whatever the inputs are that `inputs` lacks; empty if that depends on them.
  std::string own_cause(const Step& step, const Json& params, const Json& inputs,
                        const Renewal& renewal) const;
  /// An input that no step makes, as it is now. Throws Error (usage) if it cannot be read.
  Json outside(const Input& input) const;
  /// Whether what an input's files are is still there, as it was.
  bool is_there(const Json& input) const;
  /// Makes an earlier result the one that later causes are told against, and sends it to the shared store if
  /// that lacks it. The result, with what the shared store has.
  Json use(const Step& step, const std::string& key, Json result) const;

  /// Keeps what a step made. `result` has its outputs, and whose they are.
  void keep(const Step& step, const std::string& key, const Json& result, const Renewal& renewal) const;

  /// See claim_key().
  KeyClaim claim(const std::string& key, const std::string& run) const {
    return claim_key(store_.folder(), key, run);
  }
  std::string claimer(const std::string& key) const { return claimer_of(store_.folder(), key); }

  /// Of a result that turned out not to be there.
  void forget(const std::string& key) const;

 private:
  std::optional<Json> standing(const Step& step, const std::string& key, std::string& cause) const;
  std::string why_not(const Step& step, const Json& result) const;
  std::string why_new(const Step& step, const KeyParts& parts, bool knows_inputs) const;

  const Pipeline& pipeline_;
  const LocalStore& store_;
  const Clock& clock_;
  const Surroundings surroundings_;
  const IsThere is_there_;
  SharedStore* const shared_;
};

}  // namespace kml::pipeline
