//===- SymbolicValues.h - numbers that depend on arguments ------*- C++ -*-===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// A register of the threads of a class: a sum of terms that a launch chooses,
// with a constant that may be another one in each thread. What is known of
// terms decides conditions. docs/Proof.md, Values.
//
//===----------------------------------------------------------------------===//

#ifndef CAROUSEL_ANALYSIS_PROOF_SYMBOLICVALUES_H
#define CAROUSEL_ANALYSIS_PROOF_SYMBOLICVALUES_H

#include "llvm/ADT/ArrayRef.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringRef.h"

#include <cstdint>
#include <limits>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>

namespace carousel::proof {

using TermId = uint32_t;
/// A number for each thread of the CTA.
using Lanes = std::shared_ptr<const std::vector<int64_t>>;

/// A sum of terms and a constant.
struct Linear {
  int64_t constant = 0;
  llvm::SmallVector<std::pair<TermId, int64_t>, 2> terms; ///< sorted

  static Linear of(TermId term, int64_t factor = 1) {
    Linear sum;
    if (factor != 0)
      sum.terms.push_back({term, factor});
    return sum;
  }
  bool isConstant() const { return terms.empty(); }
  Linear plus(const Linear &other, int64_t factor = 1) const;
  Linear times(int64_t factor) const;
  bool operator==(const Linear &other) const {
    return constant == other.constant && terms == other.terms;
  }
  bool operator<(const Linear &other) const {
    return std::tie(constant, terms) < std::tie(other.constant, other.terms);
  }
};

using ConditionId = uint32_t;

struct Value {
  enum class Kind : uint8_t { Unknown, Number, Condition };
  Kind kind = Kind::Unknown;
  Linear number;
  /// Numbers that are added in each thread; null: none.
  Lanes lanes;
  ConditionId condition = 0;

  static Value of(Linear number, Lanes lanes = nullptr) {
    return {Kind::Number, std::move(number), std::move(lanes)};
  }
  static Value of(int64_t constant) { return of(Linear{constant, {}}); }
  bool isNumber() const { return kind == Kind::Number; }
  /// A number of each thread, whatever the launch.
  bool isFixed() const { return isNumber() && number.isConstant(); }
  bool isConstant() const { return isFixed() && !lanes; }
  int64_t get(unsigned thread) const {
    return number.constant + (lanes ? (*lanes)[thread] : 0);
  }
};

/// A condition on numbers: `number + lanes >= 0`, `== 0`, or made of others.
struct Condition {
  enum class Kind : uint8_t { AtLeastZero, Zero, Unknown, Not, And, Or, Xor };
  Kind kind = Kind::Unknown;
  Linear number;
  Lanes lanes;
  ConditionId lhs = 0, rhs = 0;
};

/// The numbers and conditions of one kernel.
class Terms {
public:
  /// A function of what a launch chooses; equal names are equal numbers.
  TermId get(const std::string &name,
             int64_t least = std::numeric_limits<int64_t>::min(),
             int64_t most = std::numeric_limits<int64_t>::max());
  /// A number that a launch chooses itself.
  TermId getFree(const std::string &name, int64_t least, int64_t most);
  ConditionId add(Condition condition);
  const Condition &getCondition(ConditionId id) const { return conditions[id]; }
  std::string print(const Linear &number) const;

  struct Term {
    std::string name;
    int64_t least, most;
    bool isFree = false;
  };
  const Term &getTerm(TermId id) const { return terms[id]; }

private:
  std::vector<Term> terms;
  std::map<std::string, TermId> byName;
  std::vector<Condition> conditions;
};

/// Any number of repetitions, in each of which numbers grow by the same sums.
struct Repetition {
  TermId count = 0;
  /// Terms for the count times a term.
  std::map<TermId, TermId> products;

  /// A number that grows, after them.
  Linear grow(const Linear &number, const Linear &growth) const;
  /// For one repetition more.
  Linear repeat(const Linear &number) const;
};

/// Assumptions of a way through the kernel.
class Assumptions {
public:
  explicit Assumptions(const Terms &terms) : terms(&terms) {}

  /// Whether `number >= 0`, if that is known.
  std::optional<bool> isAtLeastZero(const Linear &number) const;
  std::optional<bool> isZero(const Linear &number) const;
  void assumeAtLeastZero(const Linear &number, bool holds);
  void assumeZero(const Linear &number, bool holds);
  /// The range of a sum.
  std::pair<int64_t, int64_t> getRange(const Linear &number) const;
  std::string print() const;
  /// How many sums have been compared so far.
  uint64_t getWork() const { return work; }
  /// Keeps what grows: by a constant since an earlier state, or by one of
  /// `growths` or its negative. Forgets the rest.
  void grow(const Assumptions &earlier, llvm::ArrayRef<Linear> growths,
            const Repetition &repetition);
  /// Whether they are at least what is assumed of another state, for one
  /// repetition more.
  bool imply(const Assumptions &other, const Repetition &repetition) const;
  /// Whether all terms are numbers that a launch chooses freely, so that some
  /// launch may be as assumed.
  bool areFree() const;

private:
  /// Whether no rational numbers fulfil what is assumed and `number >= 0`, by
  /// Fourier and Motzkin's elimination. False if that takes too long.
  bool contradicts(const Linear &number) const;
  /// The constraints that share terms with a sum, or with one another.
  std::vector<Linear> collect(const Linear &number) const;
  /// Sums that aren't negative.
  std::vector<Linear> getBounds() const;
  /// Bounds of a sum without its constant, whose first factor is positive.
  struct Bounds {
    int64_t least = std::numeric_limits<int64_t>::min(),
            most = std::numeric_limits<int64_t>::max();
  };
  using Key = llvm::SmallVector<std::pair<TermId, int64_t>, 2>;
  /// The key of a sum, and whether its signs have been changed.
  static std::pair<Key, bool> getKey(const Linear &number);
  void narrow(const Linear &number, std::optional<int64_t> least,
              std::optional<int64_t> most);

  const Terms *terms;
  std::map<Key, Bounds> bounds;
  std::vector<Linear> nonZero;
  mutable uint64_t work = 0;
};

} // namespace carousel::proof

#endif // CAROUSEL_ANALYSIS_PROOF_SYMBOLICVALUES_H
