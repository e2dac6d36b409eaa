// Headers that most units of the runtime and of the tools on top of it include,
// precompiled once for each kind of code: a unit takes half a second less with
// them. Units still include what they use.
#pragma once
#include <fmt/format.h>
#include <tl/expected.hpp>

#include <algorithm>
#include <array>
#include <atomic>
#include <cstdint>
#include <cstring>
#include <filesystem>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <variant>
#include <vector>
