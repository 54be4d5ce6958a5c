#pragma once

// Precompiled for the layers that read or write JSON.

#include <nlohmann/json.hpp>

#include "pch.hpp"
