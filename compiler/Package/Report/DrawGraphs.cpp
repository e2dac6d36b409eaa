//===- DrawGraphs.cpp - a drawing of graphs and their kernels -------------===//
//
// Part of Carousel, under the Apache License v2.0 with LLVM Exceptions.
// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
//
//===----------------------------------------------------------------------===//
//
// Boxes are in layers, by the longest way from the arguments. Graphs stand one
// below the other.
//
//===----------------------------------------------------------------------===//

#include "carousel/Package/ReportDecisions.h"

#include "llvm/ADT/MapVector.h"
#include "llvm/ADT/STLExtras.h"
#include "llvm/ADT/SmallVector.h"
#include "llvm/ADT/StringExtras.h"
#include "llvm/Support/FormatVariadic.h"

#include <map>

using namespace mlir;
using namespace carousel;
using llvm::formatv;

namespace {

constexpr int kWidth = 330, kGap = 40, kLayerGap = 56, kLine = 16, kPad = 12;

constexpr llvm::StringLiteral kStyle = R"(
  .page { fill: #ffffff } .box { fill: #f4f6fa; stroke: #5b6b8c } .name { font-weight: bold }
  text { font: 12px sans-serif; fill: #1b2333 } .why { fill: #57627a; font-size: 11px }
  .edge { stroke: #5b6b8c; fill: none } .tip { fill: #5b6b8c }
  @media (prefers-color-scheme: dark) {
    .page { fill: #14181f } .box { fill: #1f2631; stroke: #8fa3c8 } text { fill: #e6ebf5 }
    .why { fill: #a9b4c9 } .edge { stroke: #8fa3c8 } .tip { fill: #8fa3c8 }
  }
)";

struct Line {
  std::string text;
  StringRef style = "";
};

/// The data that a box reads from another one.
struct Passed {
  uint64_t bytes = 0;
  std::string type; ///< of the largest tensor
  std::vector<std::string> reasons;
};

struct Box {
  std::string name, place;
  std::string kernel; ///< of another box; or empty
  std::string time;   ///< that it is predicted to take; or empty
  std::string ops;
  std::map<unsigned, Passed> reads; ///< by box
  std::vector<Line> lines;
  unsigned layer = 0;
  int x = 0, y = 0;

  int getHeight() const { return 2 * kPad + kLine * int(lines.size()); }
};

/// One graph.
class Drawing {
public:
  void add(const GraphDecision &decision);
  /// Notes that a group launches the kernel of another one.
  void share(StringRef group, StringRef kernel);
  /// Notes how long a kernel takes.
  void time(const GraphDecision &decision);
  /// Places the boxes from `y` on. Returns the width and the y behind them.
  std::pair<int, int> place(int y);
  void print(llvm::raw_ostream &os) const;

private:
  void writeLines(Box &box) const;

  std::vector<Box> boxes;
  llvm::StringMap<unsigned> owners; ///< of ops
};

} // namespace

static std::string escapeXML(StringRef text) {
  std::string escaped;
  llvm::raw_string_ostream os(escaped);
  llvm::printHTMLEscaped(text, os);
  return escaped;
}

static std::string sayBytes(uint64_t bytes) {
  constexpr StringRef kUnits[] = {"B", "KiB", "MiB", "GiB", "TiB", "PiB"};
  double count = static_cast<double>(bytes);
  size_t unit = 0;
  for (; count >= 1024 && unit + 1 < std::size(kUnits); ++unit)
    count /= 1024;
  return formatv(unit > 2 ? "{0:f1} {1}" : "{0:f0} {1}", count, kUnits[unit]);
}

/// Words in lines of at most so many letters, but for longer words.
static std::vector<std::string> wrap(StringRef text, size_t most) {
  std::vector<std::string> lines;
  SmallVector<StringRef> words;
  text.split(words, ' ', -1, /*KeepEmpty=*/false);
  for (StringRef word : words) {
    if (lines.empty() || lines.back().size() + 1 + word.size() > most)
      lines.emplace_back();
    else
      lines.back() += ' ';
    lines.back() += word;
  }
  return lines;
}

void Drawing::add(const GraphDecision &decision) {
  if (decision.name == "Group") {
    Box box;
    box.name = decision.getFact("Kernel").str() + ": " +
               decision.getFact("Family").str();
    box.ops = decision.getFact("Ops").str();
    std::string place = formatPlace(decision.location);
    box.place = place == "?" ? "" : StringRef(place).rsplit(':').first.str();
    for (StringRef op : llvm::split(box.ops, ", "))
      owners[op] = boxes.size();
    boxes.push_back(std::move(box));
  }
  if (decision.name != "Boundary")
    return;
  auto from = owners.find(decision.getFact("From"));
  auto to = owners.find(decision.getFact("To"));
  uint64_t bytes = 0;
  if (from == owners.end() || to == owners.end() || from->second == to->second)
    return;
  decision.getFact("Bytes").getAsInteger(10, bytes);
  Passed &passed = boxes[to->second].reads[from->second];
  if (bytes >= passed.bytes) {
    passed.bytes = bytes;
    StringRef type = decision.getFact("Type");
    if (type.consume_front("tensor<"))
      type.consume_back(">");
    passed.type = type.str();
  }
  std::string reason = decision.getFact("Reason").str();
  if (!llvm::is_contained(passed.reasons, reason))
    passed.reasons.push_back(reason);
}

void Drawing::share(StringRef group, StringRef kernel) {
  for (Box &box : boxes)
    if (StringRef(box.name).split(':').first == group)
      box.kernel = kernel.str();
}

void Drawing::time(const GraphDecision &decision) {
  for (Box &box : boxes)
    if (StringRef(box.name).split(':').first == decision.getFact("Step"))
      box.time =
          formatv("{0} us predicted, at least {1} us",
                  decision.getFact("Predicted"), decision.getFact("Bound"));
}

void Drawing::writeLines(Box &box) const {
  box.lines = {{box.name, "name"}};
  if (!box.kernel.empty())
    box.lines.push_back({"the kernel of " + box.kernel});
  if (!box.place.empty())
    box.lines.push_back({"from " + box.place});
  if (!box.time.empty())
    box.lines.push_back({box.time});
  for (std::string &line : wrap(box.ops, 46))
    box.lines.push_back({std::move(line)});
  for (const auto &[source, passed] : box.reads) {
    StringRef kernel = StringRef(boxes[source].name).split(':').first;
    box.lines.push_back({(sayBytes(passed.bytes) + " " + passed.type +
                          " from " + kernel + ", since")
                             .str()});
    for (const std::string &reason : passed.reasons)
      for (std::string &line : wrap(reason, 50))
        box.lines.push_back({std::move(line), "why"});
  }
}

std::pair<int, int> Drawing::place(int y) {
  std::map<unsigned, SmallVector<Box *>> layers;
  for (Box &box : boxes) {
    writeLines(box);
    for (const auto &[source, passed] : box.reads)
      box.layer = std::max(box.layer, boxes[source].layer + 1);
    layers[box.layer].push_back(&box);
  }
  size_t widest = 0;
  for (const auto &[number, layer] : layers)
    widest = std::max(widest, layer.size());
  int width = int(widest) * (kWidth + kGap) + kGap;
  for (auto &[number, layer] : layers) {
    // Near those that are read from.
    auto getCenter = [&](const Box *box) {
      int sum = 0;
      for (const auto &[source, passed] : box->reads)
        sum += boxes[source].x;
      return box->reads.empty() ? 0 : sum / int(box->reads.size());
    };
    llvm::sort(layer, [&](const Box *first, const Box *second) {
      return std::pair(getCenter(first), first) <
             std::pair(getCenter(second), second);
    });
    int x = (width - int(layer.size()) * (kWidth + kGap) + kGap) / 2;
    int highest = 0;
    for (Box *box : layer) {
      box->x = x;
      box->y = y;
      x += kWidth + kGap;
      highest = std::max(highest, box->getHeight());
    }
    y += highest + kLayerGap;
  }
  return {width, y};
}

void Drawing::print(llvm::raw_ostream &os) const {
  for (const Box &box : boxes) {
    int number = 0;
    for (const auto &[source, passed] : box.reads) {
      const Box &start = boxes[source];
      int x1 = start.x + kWidth / 2, y1 = start.y + start.getHeight();
      int x2 = box.x + kWidth * ++number / (int(box.reads.size()) + 1);
      // Past boxes between the two, on the side.
      int aside = box.layer - start.layer > 1 ? kWidth * 4 / 5 : 0;
      os << formatv("<path class=\"edge\" marker-end=\"url(#tip)\" "
                    "stroke-width=\"1.5\" d=\"M{0} {1}C{2} {3} {4} {5} {6} "
                    "{7}\"><title>{8} {9}: {10}</title></path>\n",
                    x1, y1, x1 + aside, y1 + kLayerGap, x2 + aside,
                    box.y - kLayerGap, x2, box.y, sayBytes(passed.bytes),
                    escapeXML(passed.type),
                    escapeXML(llvm::join(passed.reasons, "; ")));
    }
  }
  for (const Box &box : boxes) {
    os << formatv("<rect class=\"box\" x=\"{0}\" y=\"{1}\" width=\"{2}\" "
                  "height=\"{3}\" rx=\"6\"/>\n",
                  box.x, box.y, kWidth, box.getHeight());
    int y = box.y + kPad + 12;
    for (const Line &line : box.lines) {
      os << "<text";
      if (!line.style.empty())
        os << " class=\"" << line.style << '"';
      os << formatv(" x=\"{0}\" y=\"{1}\">{2}</text>\n", box.x + kPad, y,
                    escapeXML(line.text));
      y += kLine;
    }
  }
}

/// The key, in three lines from \p y on.
static void drawKey(llvm::raw_ostream &os, int y) {
  constexpr StringRef kMeanings[] = {
      "box: a kernel, the line of the source that it begins with, its time and "
      "its ops",
      "arrow: a tensor that passes through memory, with its bytes and type",
      "small text: why the two kernels aren't one"};
  os << formatv("<rect class=\"box\" x=\"{0}\" y=\"{1}\" width=\"18\" "
                "height=\"12\" rx=\"3\"/>\n"
                "<path class=\"edge\" marker-end=\"url(#tip)\" "
                "stroke-width=\"1.5\" d=\"M{0} {2}H{3}\"/>\n"
                "<text class=\"why\" x=\"{0}\" y=\"{4}\">why</text>\n",
                kGap, y - 10, y + kLine - 4, kGap + 18, y + 2 * kLine);
  for (const auto &[number, meaning] : llvm::enumerate(kMeanings))
    os << formatv("<text x=\"{0}\" y=\"{1}\">{2}</text>\n", kGap + 26,
                  y + int(number) * kLine, escapeXML(meaning));
}

void carousel::drawGraphs(llvm::raw_ostream &os, const Package &package) {
  llvm::MapVector<StringRef, Drawing> drawings;
  for (const GraphDecision &decision : package.graphs)
    if (decision.name == "Group" || decision.name == "Boundary")
      drawings[decision.function].add(decision);
  for (const GraphDecision &decision : package.graphs)
    if (decision.name == "Shared")
      for (auto &[function, drawing] : drawings)
        drawing.share(decision.function, decision.getFact("Kernel"));
  for (const GraphDecision &decision : package.graphs)
    if (decision.name == "Time")
      if (auto drawing = drawings.find(decision.function);
          drawing != drawings.end())
        drawing->second.time(decision);
  int width = 2 * kGap, height = kGap;
  SmallVector<int> tops;
  for (auto &[function, drawing] : drawings) {
    tops.push_back(height + kLine);
    auto [drawn, end] = drawing.place(height + 2 * kLine);
    width = std::max(width, drawn);
    height = end;
  }
  int key = height + kLine;
  if (!drawings.empty()) {
    width = std::max(width, kGap * 3 + 480);
    height += 4 * kLine;
  }
  os << formatv("<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"{0}\" "
                "height=\"{1}\" viewBox=\"0 0 {0} {1}\">\n<style>{2}</style>\n"
                "<defs><marker id=\"tip\" viewBox=\"0 0 8 8\" refX=\"8\" "
                "refY=\"4\" markerWidth=\"8\" markerHeight=\"8\" "
                "orient=\"auto\"><path class=\"tip\" d=\"M0 0L8 4L0 8z\"/>"
                "</marker></defs>\n<rect class=\"page\" width=\"{0}\" "
                "height=\"{1}\"/>\n",
                width, height, kStyle);
  for (const auto &[graph, top] : llvm::zip_equal(drawings, tops)) {
    os << formatv("<text class=\"name\" x=\"{0}\" y=\"{1}\">@{2}</text>\n",
                  kGap, top, escapeXML(graph.first));
    graph.second.print(os);
  }
  if (!drawings.empty())
    drawKey(os, key);
  os << "</svg>\n";
}
