"""The error that an embedded server cannot run."""


class EmbeddedServerError(Exception):
    """An embedded server cannot run. The message says what to do, and is all that an operator needs
    to see.
    """
