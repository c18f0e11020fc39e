"""A module's caches end with it, and those that it imports stay."""

from functools import cache
from types import ModuleType

from tests.memory import give_back


def test_only_a_module_s_own_caches_are_emptied():
    module = ModuleType("tests.made_up")
    exec("from functools import cache\nown = cache(lambda: [])", vars(module))
    module.imported = cache(lambda: [])
    own, imported = module.own(), module.imported()
    give_back(module)
    assert module.own() is not own
    assert module.imported() is imported
