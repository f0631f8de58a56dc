// An operand that a function needs more than once: a temporary ends with its first use.
#pragma once

#include "numeric/elementwise.h"

namespace pilum::numeric {

// A number, or an array that is held; used as the operand that it is made of.
class KeptOperand {
 public:
  KeptOperand(const Call& call, const Operand& operand)
      : array_(operand.kind() == Operand::Kind::Array ? held(call, operand) : Array()),
        operand_(operand.kind() == Operand::Kind::Array ? Operand(array_, call.where) : operand) {}
  KeptOperand(const KeptOperand&) = delete;
  KeptOperand& operator=(const KeptOperand&) = delete;

  operator const Operand&() const { return operand_; }

 private:
  const Array array_;
  const Operand operand_;
};

}  // namespace pilum::numeric
