#pragma once

// Precompiled for the layers without JSON: what most files include and what takes long to read.

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <vector>
