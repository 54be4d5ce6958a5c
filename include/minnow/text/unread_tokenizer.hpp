#pragma once
/// @file
/// Tells a tokenizer of a kind that minnow does not read from a file that is damaged.

#include "minnow/base/error.hpp"

namespace minnow {

/// Nothing is wrong with the file: its tokenizer does something that minnow does not.
class UnreadTokenizer : public DataError {
 public:
  using DataError::DataError;
};

}  // namespace minnow
