"""Work in a thread beside the start window, whatever becomes of the object that it is for."""

import gc

from PyQt6 import sip
from PyQt6.QtCore import QObject, QThreadPool

from experiments.launch.gui.aside import later


def finish(app):
    """Wait until the work is done, and its result was handled."""
    QThreadPool.globalInstance().waitForDone()
    app.processEvents()


def test_a_search_for_garbage_in_the_thread_leaves_what_is_under_way(app):
    handled = []
    parent = QObject()
    parent.itself = parent  # only a search for garbage finds it
    later(parent, gc.collect, lambda _: handled.append("handled"))
    del parent
    finish(app)
    assert handled == ["handled"]


def test_a_result_for_an_object_that_is_gone_is_dropped(app):
    handled = []
    parent = QObject()
    later(parent, lambda: "result", handled.append)
    sip.delete(parent)
    finish(app)
    assert handled == []


def test_the_object_gets_the_result(app):
    handled = []
    later(app, lambda: "result", handled.append)
    finish(app)
    assert handled == ["result"]
