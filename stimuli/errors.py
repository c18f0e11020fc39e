"""The one exception that means: the user can mend this."""


class UserError(Exception):
    """A mistake that the user can correct.

    The message is one line that says what is wrong, where, and what to do.
    The command line prints it without a traceback and exits with status 2.
    """


def first_line(fault: BaseException) -> str:
    """Return the first line of an error's message, or its type if it has none."""
    message = str(fault).strip()
    return message.splitlines()[0] if message else type(fault).__name__
