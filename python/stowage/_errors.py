"""What can be wrong."""


class Error(RuntimeError):
    """Stowage is not there, failed, or a planner does not take the problem."""


class InputError(Error, ValueError):
    """The problem, an option or a file is bad. The text lists all that is wrong."""
