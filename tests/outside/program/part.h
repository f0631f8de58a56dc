#pragma once

#include <pilum/pilum.h>

__attribute__((visibility("default"))) pilum::numeric::Array doubled(const pilum::numeric::Array& a);
__attribute__((visibility("default"))) void throw_shape_error();
