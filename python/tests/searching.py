"""For tests that do something while a search runs: they wait for the search, not for a time."""

import contextlib
import os
import signal
from unittest import mock

from stowage import _library


# Callbacks are kept to the end of the process: after an interrupt a thread may call one once more.
_kept = []


@contextlib.contextmanager
def while_searching(tell):
    """Calls a function from a thread of the library with the number of each news of the search, from 1. If it returns True, the
    search ends. The search must have options, such as a timeout."""
    set_options = _library._set_options

    def options(s, o):
        set_options(s, o)
        told = []

        def leave(_news, _offsets, _user):
            told.append(1)
            return int(tell(len(told)) is True)

        _kept.append(_library._TELL(leave))
        s.lib.stowage_on_progress(s.handle, _kept[-1], None)

    with mock.patch.object(_library, "_set_options", options):
        yield


def once(number):
    """Returns a function for while_searching that sends this process a signal, once."""
    sent = []

    def send(_):
        if not sent:
            sent.append(os.kill(os.getpid(), number))

    return send


def interrupting():
    """Returns a progress function that sends this process an interrupt, once."""
    return once(signal.SIGINT)
