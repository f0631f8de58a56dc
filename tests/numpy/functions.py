"""All functions of the suite."""
import creation
import elementwise
import folds
import manipulation


def all_functions():
    return [*elementwise.functions(), *folds.functions(), *creation.functions(), *manipulation.functions()]
