"""All functions of the suite."""
import bins
import complex_numbers
import creation
import elementwise
import fold_options
import folds
import lines
import manipulation


def all_functions():
    return [*elementwise.functions(), *folds.functions(), *fold_options.functions(), *lines.functions(),
            *creation.functions(), *manipulation.functions(), *complex_numbers.functions(), *bins.functions()]
