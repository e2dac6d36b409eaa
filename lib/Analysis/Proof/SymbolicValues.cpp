//===- SymbolicValues.cpp - numbers that depend on arguments --------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// See SymbolicValues.h.
//
//===----------------------------------------------------------------------===//

#include "SymbolicValues.h"

#include "llvm/ADT/STLExtras.h"
#include "llvm/Support/raw_ostream.h"

using namespace carousel::proof;

static constexpr int64_t kLeast = std::numeric_limits<int64_t>::min(),
                         kMost = std::numeric_limits<int64_t>::max();

//===----------------------------------------------------------------------===//
// Sums
//===----------------------------------------------------------------------===//

Linear Linear::plus(const Linear &other, int64_t factor) const {
  Linear sum;
  sum.constant =
      int64_t(uint64_t(constant) + uint64_t(other.constant) * uint64_t(factor));
  const auto *own = terms.begin();
  const auto *next = other.terms.begin();
  while (own != terms.end() || next != other.terms.end()) {
    if (next == other.terms.end() ||
        (own != terms.end() && own->first < next->first)) {
      sum.terms.push_back(*own++);
      continue;
    }
    int64_t scaled = int64_t(uint64_t(next->second) * uint64_t(factor));
    if (own != terms.end() && own->first == next->first)
      scaled += (own++)->second;
    if (scaled != 0)
      sum.terms.push_back({next->first, scaled});
    ++next;
  }
  return sum;
}

Linear Linear::times(int64_t factor) const {
  return Linear().plus(*this, factor);
}

//===----------------------------------------------------------------------===//
// Terms
//===----------------------------------------------------------------------===//

TermId Terms::get(const std::string &name, int64_t least, int64_t most) {
  auto [found, isNew] = byName.try_emplace(name, TermId(terms.size()));
  if (isNew)
    terms.push_back({name, least, most});
  return found->second;
}

TermId Terms::getFree(const std::string &name, int64_t least, int64_t most) {
  TermId id = get(name, least, most);
  terms[id].isFree = true;
  return id;
}

ConditionId Terms::add(Condition condition) {
  conditions.push_back(std::move(condition));
  return conditions.size() - 1;
}

std::string Terms::print(const Linear &number) const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (auto [term, factor] : number.terms) {
    os << (text.empty() ? "" : " + ");
    if (factor != 1)
      os << factor << " * ";
    os << terms[term].name;
  }
  if (number.constant != 0 || text.empty())
    os << (text.empty() ? "" : " + ") << number.constant;
  return text;
}

//===----------------------------------------------------------------------===//
// Assumptions
//===----------------------------------------------------------------------===//

std::pair<Assumptions::Key, bool> Assumptions::getKey(const Linear &number) {
  bool isNegative = number.terms.front().second < 0;
  Key key(number.terms);
  if (isNegative)
    for (auto &[term, factor] : key)
      factor = -factor;
  return {key, isNegative};
}

static int64_t add(int64_t a, int64_t b) {
  int64_t sum;
  return __builtin_add_overflow(a, b, &sum) ? (a < 0 ? kLeast : kMost) : sum;
}

/// A bound that may be infinite, times a factor.
static int64_t multiply(int64_t bound, int64_t factor) {
  int64_t product;
  bool isInfinite = bound == kLeast || bound == kMost;
  if (!isInfinite && !__builtin_mul_overflow(bound, factor, &product))
    return product;
  return (bound < 0) == (factor < 0) ? kMost : kLeast;
}

std::pair<int64_t, int64_t> Assumptions::getRange(const Linear &number) const {
  if (number.isConstant())
    return {number.constant, number.constant};
  int64_t least = number.constant, most = number.constant;
  for (auto [term, factor] : number.terms) {
    int64_t low = terms->getTerm(term).least, high = terms->getTerm(term).most;
    Key own = {{term, 1}};
    if (auto known = bounds.find(own); known != bounds.end()) {
      low = std::max(low, known->second.least);
      high = std::min(high, known->second.most);
    }
    int64_t a = multiply(low, factor), b = multiply(high, factor);
    least = a == kLeast || b == kLeast ? kLeast
            : least == kLeast          ? kLeast
                                       : add(least, std::min(a, b));
    most = a == kMost || b == kMost ? kMost
           : most == kMost          ? kMost
                                    : add(most, std::max(a, b));
  }
  auto [key, isNegative] = getKey(number);
  if (auto known = bounds.find(key); known != bounds.end()) {
    auto [low, high] = known->second;
    if (isNegative) {
      std::swap(low, high);
      low = low == kMost ? kLeast : -low;
      high = high == kLeast ? kMost : -high;
    }
    if (low != kLeast)
      least = std::max(least, add(low, number.constant));
    if (high != kMost)
      most = std::min(most, add(high, number.constant));
  }
  return {least, most};
}

std::optional<bool> Assumptions::isAtLeastZero(const Linear &number) const {
  auto [least, most] = getRange(number);
  if (least >= 0)
    return true;
  if (most < 0 || contradicts(number))
    return false;
  Linear negative = number.times(-1);
  negative.constant -= 1;
  return contradicts(negative) ? std::optional(true) : std::nullopt;
}

std::optional<bool> Assumptions::isZero(const Linear &number) const {
  auto [least, most] = getRange(number);
  if (least == 0 && most == 0)
    return true;
  if (least > 0 || most < 0 || llvm::is_contained(nonZero, number) ||
      llvm::is_contained(nonZero, number.times(-1)) || contradicts(number) ||
      contradicts(number.times(-1)))
    return false;
  Linear above = number, below = number.times(-1);
  above.constant -= 1;
  below.constant -= 1;
  return contradicts(above) && contradicts(below) ? std::optional(true)
                                                  : std::nullopt;
}

//===----------------------------------------------------------------------===//
// Contradictions
//===----------------------------------------------------------------------===//

/// Appends the sums that aren't negative where `sum` has these bounds.
static void appendBounds(std::vector<Linear> &list, const Linear &sum,
                         int64_t least, int64_t most) {
  if (least != kLeast)
    list.push_back(sum.plus({least, {}}, -1));
  if (most != kMost)
    list.push_back(Linear{most, {}}.plus(sum, -1));
}

std::vector<Linear> Assumptions::collect(const Linear &number) const {
  std::vector<Linear> found = {number};
  std::map<TermId, bool> seen;
  std::vector<TermId> open;
  auto note = [&](const Linear &own) {
    for (auto [term, factor] : own.terms)
      if (seen.try_emplace(term, true).second)
        open.push_back(term);
  };
  note(number);
  llvm::SmallVector<bool> isTaken(bounds.size(), false);
  while (!open.empty()) {
    TermId term = open.back();
    open.pop_back();
    Linear own = Linear::of(term);
    appendBounds(found, own, terms->getTerm(term).least,
                 terms->getTerm(term).most);
    for (auto [at, entry] : llvm::enumerate(bounds)) {
      const auto &[key, range] = entry;
      if (isTaken[at] || llvm::none_of(key, [&, term = term](auto part) {
            return part.first == term;
          }))
        continue;
      isTaken[at] = true;
      Linear sum;
      sum.terms = key;
      appendBounds(found, sum, range.least, range.most);
      note(sum);
    }
  }
  return found;
}

/// `lhs` and `rhs` without a term that has factors of other signs in them;
/// nullopt if numbers become too large.
static std::optional<Linear> eliminate(const Linear &lhs, const Linear &rhs,
                                       TermId term) {
  auto getFactor = [&](const Linear &sum) {
    return llvm::find_if(sum.terms, [&](auto own) { return own.first == term; })
        ->second;
  };
  int64_t a = std::abs(getFactor(lhs)), b = std::abs(getFactor(rhs));
  constexpr int64_t kLargest = int64_t(1) << 30;
  auto isLarge = [&](const Linear &sum, int64_t factor) {
    int64_t product;
    return llvm::any_of(sum.terms,
                        [&](auto own) {
                          return std::abs(own.second) > kLargest / factor;
                        }) ||
           __builtin_mul_overflow(sum.constant, 2 * factor, &product);
  };
  if (a > kLargest || b > kLargest || isLarge(lhs, b) || isLarge(rhs, a))
    return std::nullopt;
  return lhs.times(b).plus(rhs, a);
}

bool Assumptions::contradicts(const Linear &number) const {
  constexpr size_t kMost = 128;
  if (number.isConstant())
    return number.constant < 0;
  std::vector<Linear> open = collect(number);
  work += bounds.size();
  while (open.size() <= kMost) {
    work += open.size();
    // The term that is in the fewest pairs of constraints.
    std::map<TermId, std::pair<size_t, size_t>> counts;
    for (const Linear &own : open) {
      if (own.isConstant() && own.constant < 0)
        return true;
      for (auto [term, factor] : own.terms)
        ++(factor > 0 ? counts[term].first : counts[term].second);
    }
    if (counts.empty())
      return false;
    TermId term = std::min_element(counts.begin(), counts.end(),
                                   [](const auto &lhs, const auto &rhs) {
                                     auto [a, b] = lhs.second;
                                     auto [c, d] = rhs.second;
                                     return a * b < c * d;
                                   })
                      ->first;
    std::vector<Linear> rest, above, below;
    for (Linear &own : open) {
      auto *found = llvm::find_if(
          own.terms, [&](auto part) { return part.first == term; });
      (found == own.terms.end() ? rest
       : found->second > 0      ? above
                                : below)
          .push_back(std::move(own));
    }
    for (const Linear &lhs : above)
      for (const Linear &rhs : below) {
        std::optional<Linear> sum = eliminate(lhs, rhs, term);
        if (!sum)
          return false;
        rest.push_back(std::move(*sum));
      }
    open = std::move(rest);
  }
  return false;
}

bool Assumptions::areFree() const {
  auto isFree = [&](std::pair<TermId, int64_t> part) {
    return terms->getTerm(part.first).isFree;
  };
  return llvm::all_of(bounds,
                      [&](const auto &own) {
                        return llvm::all_of(own.first, isFree);
                      }) &&
         llvm::all_of(nonZero, [&](const Linear &own) {
           return llvm::all_of(own.terms, isFree);
         });
}

void Assumptions::narrow(const Linear &number, std::optional<int64_t> least,
                         std::optional<int64_t> most) {
  if (number.isConstant())
    return;
  auto [key, isNegative] = getKey(number);
  if (isNegative) {
    std::swap(least, most);
    if (least)
      least = -*least;
    if (most)
      most = -*most;
  }
  Bounds &own = bounds[key];
  if (least)
    own.least = std::max(own.least, *least);
  if (most)
    own.most = std::min(own.most, *most);
}

void Assumptions::assumeAtLeastZero(const Linear &number, bool holds) {
  if (holds)
    narrow(number, -number.constant, std::nullopt);
  else
    narrow(number, std::nullopt, -number.constant - 1);
}

void Assumptions::assumeZero(const Linear &number, bool holds) {
  if (holds)
    return narrow(number, -number.constant, -number.constant);
  nonZero.push_back(number);
  auto [least, most] = getRange(number);
  if (least == 0)
    narrow(number, 1 - number.constant, std::nullopt);
  else if (most == 0)
    narrow(number, std::nullopt, -1 - number.constant);
}

std::string Assumptions::print() const {
  std::string text;
  llvm::raw_string_ostream os(text);
  for (const auto &[key, own] : bounds) {
    Linear number;
    number.terms = key;
    os << (text.empty() ? "" : ", ");
    if (own.least == own.most) {
      os << terms->print(number) << " = " << own.least;
      continue;
    }
    if (own.least != kLeast)
      os << own.least << " <= ";
    os << terms->print(number);
    if (own.most != kMost)
      os << " <= " << own.most;
  }
  return text;
}

//===----------------------------------------------------------------------===//
// Repetition
//===----------------------------------------------------------------------===//

std::vector<Linear> Assumptions::getBounds() const {
  std::vector<Linear> list;
  for (const auto &[key, own] : bounds)
    appendBounds(list, {0, key}, own.least, own.most);
  return list;
}

Linear Repetition::grow(const Linear &number, const Linear &growth) const {
  Linear sum = number.plus(Linear::of(count, growth.constant));
  for (auto [term, factor] : growth.terms)
    sum = sum.plus(Linear::of(products.at(term), factor));
  return sum;
}

Linear Repetition::repeat(const Linear &number) const {
  Linear sum = number;
  for (auto [term, factor] : number.terms) {
    if (term == count)
      sum.constant += factor;
    for (auto [own, product] : products)
      if (term == product)
        sum = sum.plus(Linear::of(own, factor));
  }
  return sum;
}

void Assumptions::grow(const Assumptions &earlier,
                       llvm::ArrayRef<Linear> growths,
                       const Repetition &repetition) {
  Assumptions grown(*terms);
  std::vector<Linear> before = earlier.getBounds();
  // Those that are new since then say how they grow.
  auto growAs = [&](const Linear &own, const std::vector<Linear> &list,
                    auto add) {
    if (llvm::is_contained(list, own))
      return;
    for (const Linear &growth : growths)
      for (int64_t sign : {1, -1})
        if (llvm::is_contained(list, own.plus(growth, -sign)))
          add(repetition.grow(own, growth.times(sign)));
  };
  for (const Linear &own : getBounds()) {
    auto add = [&](const Linear &number) {
      grown.assumeAtLeastZero(number, true);
    };
    for (const Linear &other : before)
      if (other.terms == own.terms)
        add(repetition.grow(own, {own.constant - other.constant, {}}));
    growAs(own, before, add);
  }
  for (const Linear &own : nonZero)
    growAs(own, earlier.nonZero,
           [&](const Linear &number) { grown.nonZero.push_back(number); });
  grown.work = work;
  *this = std::move(grown);
}

bool Assumptions::imply(const Assumptions &other,
                        const Repetition &repetition) const {
  return llvm::all_of(other.getBounds(),
                      [&](const Linear &own) {
                        return isAtLeastZero(repetition.repeat(own)) == true;
                      }) &&
         llvm::all_of(other.nonZero, [&](const Linear &own) {
           return isZero(repetition.repeat(own)) == false;
         });
}
