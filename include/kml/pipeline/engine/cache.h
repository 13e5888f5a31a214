#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>

#include "kml/base/clock.h"
#include "kml/base/json.h"
#include "kml/pipeline/engine/key.h"
#include "kml/pipeline/journal/record.h"
#include "kml/pipeline/language/pipeline.h"
#include "kml/pipeline/store/key_claim.h"
#include "kml/pipeline/store/shared_store.h"
#include "kml/pipeline/store/store.h"

namespace kml::pipeline {

/// Whether a step must run, and why.
struct Verdict {
  std::string key;
  KeyParts parts;
  std::optional<Json> result;  ///< an earlier result that is still valid: {"outputs": ..., "run": NAME}
  std::string cause;           ///< why the step must run: "train.py changed"; empty if a result exists
};

/// Finds the earlier result of a step with the same key.
class Cache {
 public:
  /// Returns the parts of a step's key that come neither from the pipeline's file nor from the step's inputs:
  /// the step's code and program, as they are now. Called before the step starts, and after it has ended.
  using Surroundings = std::function<KeyParts(const Step& step)>;

  /// Whether the file or folder that an output of a result describes (see StepRunner::made_by) still exists.
  using IsThere = std::function<bool(const Json& made)>;

  /// All arguments must outlive this object. `shared` may be nullptr. `given` has inputs from outside the
  /// pipeline that are already known, by their text(); outside() returns these.
  Cache(const Pipeline& pipeline, const LocalStore& store, const Clock& clock, Surroundings surroundings,
        IsThere is_there, SharedStore* shared = nullptr, Json given = Json::object())
      : pipeline_(pipeline),
        store_(store),
        clock_(clock),
        surroundings_(std::move(surroundings)),
        is_there_(std::move(is_there)),
        shared_(shared),
        given_(std::move(given)) {}

  /// Decides whether a step must run. `params` and `inputs` are as for parts_of().
  Verdict look(const Step& step, const Json& params, const Json& inputs, const Renewal& renewal) const;

  /// Repeats the search for a result with the verdict's key, because another engine may have stored one since
  /// then.
  Verdict look_again(const Step& step, Verdict verdict, const Renewal& renewal) const;

  /// Why the step must run, assuming that the inputs missing from `inputs` have not changed; empty if it need
  /// not run.
  std::string own_cause(const Step& step, const Json& params, const Json& inputs,
                        const Renewal& renewal) const;
  /// The current content of an input that is not made by a step. Throws Error if it cannot be read.
  Json outside(const Input& input) const;
  /// Whether the files of an input still exist and are unchanged.
  bool is_there(const Json& input) const;
  /// Makes an earlier result the step's latest one, so that later runs are compared with it. Copies it to the
  /// shared store if it is missing there. Returns the result; its files and folders then have the name of
  /// that store in "store".
  Json use(const Step& step, const std::string& key, Json result) const;

  /// Stores the result of a step: its outputs, and the run that made them. `record` is the text of the step's
  /// ReadRecord, if it was recorded. Returns a note for the user if the result is not kept, or the record is
  /// of no use; otherwise an empty text.
  std::string keep(const Step& step, const std::string& key, Json result, const Renewal& renewal,
                   const std::optional<std::string>& record = {}) const;

  /// See claim_key().
  KeyClaim claim(const std::string& key, const std::string& run) const {
    return claim_key(store_.folder(), key, run);
  }
  std::string claimer(const std::string& key) const { return claimer_of(store_.folder(), key); }

  /// Removes a result whose files no longer exist.
  void forget(const std::string& key) const;

 private:
  std::optional<Json> standing(const Step& step, const std::string& key, std::string& cause) const;
  std::string why_not(const Step& step, const Json& result) const;
  void keep_shared(const Step& step, const std::string& key, Json result, const Renewal& renewal) const;
  bool find_by_reads(const Step& step, Verdict& verdict) const;
  /// What changed while a step ran.
  struct Changed {
    std::string text;      ///< "notes.txt added"
    bool in_code = false;  ///< whether files in the folder of the step's code changed
  };
  Changed changed_since(const Step& step, const KeyParts& parts,
                        const std::optional<std::string>& record) const;
  std::string why_new(const Step& step, KeyParts parts, bool knows_inputs) const;

  const Pipeline& pipeline_;
  const LocalStore& store_;
  const Clock& clock_;
  const Surroundings surroundings_;
  const IsThere is_there_;
  SharedStore* const shared_;
  const Json given_;
};

}  // namespace kml::pipeline
