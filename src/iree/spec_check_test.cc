#include "iree/spec_check.h"

#include "iree/test_specs.h"
