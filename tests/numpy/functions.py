"""All functions of the suite."""
import elementwise


def all_functions():
    return [*elementwise.functions()]
