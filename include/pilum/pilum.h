// All of Pilum's public interface.
#pragma once

#include "pilum/array.h"
#include "pilum/creation.h"
#include "pilum/dtype.h"
#include "pilum/error.h"
#include "pilum/math.h"
#include "pilum/piece.h"
#include "pilum/runtime.h"
#include "pilum/shape.h"
#include "pilum/slice.h"
#include "pilum/task.h"
