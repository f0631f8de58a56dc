#include "numeric/gpu_cell_text.h"

#include "runtime/base/check.h"

namespace pilum::numeric {

const char* plain_cell_type(DType dtype) {
  switch (dtype) {
    case DType::Bool: return "bool";
    case DType::Int8: return "signed char";
    case DType::UInt8: return "unsigned char";
    case DType::Int16: return "short";
    case DType::UInt16: return "unsigned short";
    case DType::Int32: return "int";
    case DType::UInt32: return "unsigned";
    case DType::Int64: return "long long";
    case DType::UInt64: return "unsigned long long";
    case DType::Float32: return "float";
    case DType::Float64: return "double";
    default: PILUM_CHECK(false, "a plain cell of dtype {} on a GPU", static_cast<int>(dtype));
  }
}

std::string folded_text(Fold fold, DType dtype) {
  const bool is_bool = dtype == DType::Bool;
  switch (fold) {
    case Fold::Sum:
      return is_bool              ? "a || b"
             : is_floating(dtype) ? "a + b"
                                  : "(Cell)((unsigned long long)a + (unsigned long long)b)";
    case Fold::Product:
      return is_bool              ? "a && b"
             : is_floating(dtype) ? "a * b"
                                  : "(Cell)((unsigned long long)a * (unsigned long long)b)";
    case Fold::Minimum: return is_bool ? "a && b" : "a < b || a != a ? a : b";
    default: return is_bool ? "a || b" : "a > b || a != a ? a : b";
  }
}

}  // namespace pilum::numeric
