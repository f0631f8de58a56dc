// Plans as lines of text, for literals.
#pragma once

#include <string>
#include <vector>

#include "scheduler/print/printer.h"

namespace pilum::scheduler {

using Texts = std::vector<std::string>;

// What instructions do, without names of kernels and tasks.
inline Texts texts_of(const Plan& plan) {
  Texts texts;
  for (std::size_t i = 0; i < plan.instructions.size(); ++i) {
    std::string text = to_text(plan.instructions[i], InstructionId{plan.first.value + static_cast<std::int64_t>(i)});
    text = text.substr(0, text.find("  # "));
    if (const std::size_t kernel = text.find("launch k"); kernel != std::string::npos) text.erase(kernel + 6, 10);
    texts.push_back(text);
  }
  return texts;
}

}  // namespace pilum::scheduler
