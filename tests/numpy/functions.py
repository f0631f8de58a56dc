"""All functions of the suite."""
import bins
import by_function
import complex_numbers
import creation
import elementwise
import fft
import fold_options
import folds
import grids
import linalg
import lines
import manipulation
import masked
import sets


def all_functions():
    return [*elementwise.functions(), *folds.functions(), *fold_options.functions(), *lines.functions(),
            *creation.functions(), *manipulation.functions(), *complex_numbers.functions(), *bins.functions(),
            *by_function.functions(), *linalg.functions(), *fft.functions(), *sets.functions(), *grids.functions(),
            *masked.functions()]
